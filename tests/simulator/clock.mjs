// Times as the programs print them. Each host has its own skew; the simulation itself has one true time in seconds.

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n) => String(n).padStart(2, '0');

export class Clock {
  constructor(random) {
    this.start = Date.UTC(
      2024,
      random.int(0, 11),
      random.int(1, 28),
      random.int(0, 20),
      random.int(0, 59),
      random.int(0, 59),
    );
    this.phase = random.int(0, 999999999);
  }

  at(time, skew) {
    const exact = this.start + (time + skew) * 1000;
    const date = new Date(Math.floor(exact));
    const day = `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
    const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
    const ms = String(date.getUTCMilliseconds()).padStart(3, '0');
    const micro = ms + String(Math.floor((exact % 1) * 1000)).padStart(3, '0');
    // c10 prints the wall clock's seconds with a fraction of the monotonic clock, which runs on its own phase.
    const nano = String((this.phase + Math.floor(exact * 1e6)) % 1000000000).padStart(9, '0');
    return {
      c10: `${date.getUTCMonth() + 1}${two(date.getUTCDate())} ${clock}.${nano}`,
      glog: `${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())} ${clock}.${micro}`,
      comma: `${day} ${clock},${ms}`,
      plain: `${day} ${clock}`,
      elastic: `${day}_${clock}`,
      slurm: `${day}T${clock}`,
      syslog: `${months[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)} ${clock}`,
      short: clock,
    };
  }
}
