// Options and operands of one subcommand, parsed by a table that its help is made of too. Pure, safe from any
// thread. Errors name the argument and what to do.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace firstfault {

struct OptionSpec {
  std::string name;                       // "--format"
  std::string value;                      // "FORMAT" where it takes a value, "" for a flag
  std::string help;                       // what it does, and its default; lines separated by "\n"
  std::vector<std::string> choices = {};  // the values it takes, empty: any
  bool hidden = false;                    // not in the help: for programs that start this one
};

// One subcommand, as its help shows it.
struct CommandSpec {
  std::string name;     // "diagnose"
  std::string usage;    // "firstfault diagnose [OPTION]... PATH..."
  std::string summary;  // one sentence
  std::string details;  // further lines
  std::vector<OptionSpec> options;
  std::vector<std::string> examples;
  std::string exit_status;  // lines
};

struct Arguments {
  std::map<std::string, std::string, std::less<>> options;  // by name; a flag's value is ""
  std::vector<std::string> operands;
  bool help = false;

  bool has(std::string_view option) const { return options.find(option) != options.end(); }
  std::string get(std::string_view option, std::string_view otherwise = "") const;
};

// "--option value" and "--option=value", anywhere; "--" ends the options; "-" is an operand. The last of
// repeated options holds. With --help or -h the rest is not checked.
Result<Arguments> parse_arguments(const std::vector<std::string>& arguments, const CommandSpec& command);

std::string help_text(const CommandSpec& command);

}  // namespace firstfault
