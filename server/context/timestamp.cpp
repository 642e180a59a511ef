#include "context/timestamp.hpp"

#include <utility>

#include "context/scan.hpp"

namespace firstfault {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// c10's logging takes the digits behind the second from a monotonic clock: nine of them say nothing.
constexpr int kMonotonicDigits = 9;

struct Clock {
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;  // nanoseconds
  int fraction_digits = 0;
};

std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

bool valid_date(int month, int day) { return month >= 1 && month <= 12 && day >= 1 && day <= 31; }

bool eat_fraction(Cursor* cursor, Clock* clock) {
  if ((cursor->peek() != '.' && cursor->peek() != ',') || !is_digit(cursor->peek(1))) return false;
  ++cursor->pos;
  std::int64_t scale = kSecond / 10;
  while (is_digit(cursor->peek())) {
    clock->fraction += (cursor->peek() - '0') * scale;
    scale /= 10;
    ++clock->fraction_digits;
    ++cursor->pos;
  }
  return true;
}

// "12:34:56.789"; the seconds may be missing only where a date says that this is a time.
bool eat_clock(Cursor* cursor, bool seconds_needed, Clock* clock) {
  if (!cursor->fixed(2, &clock->hour) || !cursor->eat(':') || !cursor->fixed(2, &clock->minute)) return false;
  if (cursor->peek() == ':' && is_digit(cursor->peek(1))) {
    ++cursor->pos;
    if (!cursor->fixed(2, &clock->second)) return false;
    eat_fraction(cursor, clock);
  } else if (seconds_needed) {
    return false;
  }
  if (is_digit(cursor->peek()) || (cursor->peek() == ':' && is_digit(cursor->peek(1)))) return false;
  return clock->hour < 24 && clock->minute < 60 && clock->second <= 60;
}

// Seconds east of UTC, where the text goes on with a zone.
std::int64_t eat_zone(Cursor* cursor) {
  if (cursor->peek() == 'Z' && !is_word(cursor->peek(1))) {
    ++cursor->pos;
    return 0;
  }
  Cursor zone = *cursor;
  if (zone.eat(" UTC") && !is_word(zone.peek())) {
    *cursor = zone;
    return 0;
  }
  zone = *cursor;
  if (zone.peek() == ' ') ++zone.pos;
  const bool west = zone.peek() == '-';
  if (!zone.eat('+') && !zone.eat('-')) return 0;
  int hours = 0;
  int minutes = 0;
  if (!zone.fixed(2, &hours)) return 0;
  zone.eat(':');
  if (!zone.fixed(2, &minutes) || is_word(zone.peek()) || hours > 14 || minutes > 59) return 0;
  *cursor = zone;
  const std::int64_t offset = (hours * 60 + minutes) * 60;
  return west ? -offset : offset;
}

Timestamp make_time(std::int64_t days, const Clock& clock, std::int64_t zone) {
  Timestamp time;
  const std::int64_t seconds = days * 86400 + clock.hour * 3600 + clock.minute * 60 + clock.second - zone;
  time.nanoseconds = seconds * kSecond + clock.fraction;
  time.whole_second = clock.fraction_digits == 0;
  return time;
}

// year 0: not known.
bool finish(const Cursor& cursor, int year, int month, int day, const Clock& clock, std::int64_t zone,
            TimeMatch* match) {
  if (!valid_date(month, day) || (year != 0 && (year < 1970 || year > 2200)))
    return false;  // fits in 64 bits
  const int assumed = year != 0 ? year : (month == 2 && day == 29 ? 1972 : 1970);
  match->time = make_time(days_from_civil(assumed, month, day), clock, zone);
  match->time.has_date = true;
  match->time.has_year = year != 0;
  match->end = cursor.pos;
  return true;
}

// 2026-06-03T11:04:30.123+02:00, 2026/06/03 11:04:30, 2026-06-03_11:04:30
bool match_iso(Cursor cursor, TimeMatch* match) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!cursor.fixed(4, &year)) return false;
  const char separator = cursor.peek();
  if (separator != '-' && separator != '/') return false;
  ++cursor.pos;
  if (!cursor.fixed(2, &month) || !cursor.eat(separator) || !cursor.fixed(2, &day)) return false;
  if (cursor.peek() != ' ' && cursor.peek() != 'T' && cursor.peek() != '_') return false;
  ++cursor.pos;
  Clock clock;
  if (year < 1990 || !eat_clock(&cursor, false, &clock)) return false;
  const std::int64_t zone = eat_zone(&cursor);
  return finish(cursor, year, month, day, clock, zone, match);
}

// 06/03/2026 11:04:30 and, without a year, 06-03 11:04:30
bool match_month_first(Cursor cursor, TimeMatch* match) {
  int year = 0;
  int month = 0;
  int day = 0;
  if (!cursor.fixed(2, &month)) return false;
  const bool slash = cursor.eat('/');
  if (!slash && !cursor.eat('-')) return false;
  if (!cursor.fixed(2, &day)) return false;
  if (slash && (!cursor.eat('/') || !cursor.fixed(4, &year))) return false;
  if (!cursor.eat(' ')) return false;
  Clock clock;
  if (!eat_clock(&cursor, true, &clock)) return false;
  if (slash && month > 12 && day <= 12) std::swap(month, day);
  return finish(cursor, year, month, day, clock, 0, match);
}

bool match_clock(Cursor cursor, TimeMatch* match) {
  Clock clock;
  if (!eat_clock(&cursor, true, &clock) || is_word(cursor.peek())) return false;
  match->time = make_time(0, clock, 0);
  match->end = cursor.pos;
  return true;
}

bool eat_name(Cursor* cursor, std::string_view names, int* index) {
  if (cursor->text.size() < cursor->pos + 3) return false;
  const std::string_view name = cursor->text.substr(cursor->pos, 3);
  for (std::size_t i = 0; i < names.size(); i += 3) {
    if (names.substr(i, 3) == name) {
      *index = static_cast<int>(i / 3);
      cursor->pos += 3;
      return true;
    }
  }
  return false;
}

// "Jun  3 11:08:33" and "Wed Jun  3 11:08:33 2026", with a zone name before the year in date's own format.
bool match_named(Cursor cursor, TimeMatch* match) {
  int ignored = 0;
  int month = 0;
  std::int64_t day = 0;
  const bool weekday = eat_name(&cursor, "MonTueWedThuFriSatSun", &ignored);
  if (weekday && !cursor.eat(' ')) return false;
  if (!eat_name(&cursor, "JanFebMarAprMayJunJulAugSepOctNovDec", &month) || cursor.peek() != ' ')
    return false;
  cursor.skip_spaces(2);
  if (!cursor.number(&day, 2) || !cursor.eat(' ')) return false;
  Clock clock;
  if (!eat_clock(&cursor, true, &clock)) return false;
  int year = 0;
  if (weekday) {
    Cursor tail = cursor;
    if (tail.eat(' ') && is_upper(tail.peek())) {
      while (is_upper(tail.peek())) ++tail.pos;
      tail.eat(' ');
    }
    if (tail.fixed(4, &year) && !is_digit(tail.peek()) && year >= 1990 && year < 2100) {
      cursor = tail;
    } else {
      year = 0;
    }
  }
  match->ctime = weekday;
  match->syslog = !weekday;
  return finish(cursor, year, month + 1, static_cast<int>(day), clock, 0, match);
}

}  // namespace

bool match_time(std::string_view text, std::size_t pos, TimeMatch* match) {
  const Cursor cursor{text, pos};
  const char first = cursor.peek();
  if (is_upper(first)) return match_named(cursor, match);
  if (!is_digit(first)) return false;
  if (cursor.peek(4) == '-' || cursor.peek(4) == '/') return match_iso(cursor, match);
  if (cursor.peek(2) == ':') return match_clock(cursor, match);
  if (cursor.peek(2) == '-' || cursor.peek(2) == '/') return match_month_first(cursor, match);
  return false;
}

bool match_glog_time(std::string_view text, std::size_t pos, TimeMatch* match) {
  Cursor cursor{text, pos};
  std::int64_t date = 0;
  int digits = 0;
  if (!cursor.number(&date, 8, &digits) || digits < 3 || (digits > 4 && digits != 8)) return false;
  if (!cursor.eat(' ')) return false;
  Clock clock;
  if (!eat_clock(&cursor, true, &clock)) return false;
  if (clock.fraction_digits == kMonotonicDigits) {
    clock.fraction = 0;
    clock.fraction_digits = 0;
  }
  const int value = static_cast<int>(date);
  return finish(cursor, value / 10000, value / 100 % 100, value % 100, clock, 0, match);
}

}  // namespace firstfault
