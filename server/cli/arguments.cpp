#include "cli/arguments.hpp"

#include <algorithm>

#include "signature/nearest_word.hpp"

namespace firstfault {
namespace {

constexpr std::size_t kHelpColumn = 24;

std::string see_help(const CommandSpec& command) { return "; see: firstfault " + command.name + " --help"; }

const OptionSpec* find_option(const CommandSpec& command, std::string_view name) {
  for (const OptionSpec& option : command.options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::string unknown_option(const CommandSpec& command, const std::string& name) {
  std::vector<std::string_view> known = {"--help"};
  for (const OptionSpec& option : command.options) {
    if (!option.hidden) known.push_back(option.name);
  }
  const std::string near = nearest_word(name, known);
  const std::string remedy = near.empty() ? see_help(command) : "; did you mean " + near + "?";
  return "unknown option " + name + remedy;
}

std::string check_value(const CommandSpec& command, const OptionSpec& option, const std::string& value) {
  if (value.empty()) return option.name + " needs a value (" + option.value + ")" + see_help(command);
  if (option.choices.empty()) return "";
  if (std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end()) return "";
  const std::vector<std::string_view> known(option.choices.begin(), option.choices.end());
  const std::string near = nearest_word(value, known);
  std::string all;
  for (const std::string& choice : option.choices) all += (all.empty() ? "" : ", ") + choice;
  return option.name + ": unknown value " + value +
         (near.empty() ? "; use one of: " + all : "; did you mean " + near + "?");
}

void append_option(const std::string& name, const std::string& help, std::string* text) {
  std::string left = "  " + name;
  left.resize(std::max(left.size() + 2, kHelpColumn), ' ');
  std::size_t start = 0;
  for (std::size_t end = 0; end != std::string::npos; start = end + 1) {
    end = help.find('\n', start);
    *text += left + help.substr(start, end == std::string::npos ? end : end - start) + "\n";
    left.assign(kHelpColumn, ' ');
  }
}

}  // namespace

std::string Arguments::get(std::string_view option, std::string_view otherwise) const {
  const auto found = options.find(option);
  return found == options.end() ? std::string(otherwise) : found->second;
}

Result<Arguments> parse_arguments(const std::vector<std::string>& arguments, const CommandSpec& command) {
  Arguments parsed;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    const std::string& argument = arguments[at];
    if (argument == "--") {
      parsed.operands.insert(parsed.operands.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                             arguments.end());
      break;
    }
    if (argument == "-h" || argument == "--help") {
      parsed.help = true;
      return parsed;
    }
    if (argument.size() < 2 || argument[0] != '-') {
      parsed.operands.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const OptionSpec* option = find_option(command, name);
    if (option == nullptr) return Error{unknown_option(command, name)};
    if (option->value.empty()) {
      if (equals != std::string::npos) return Error{name + " takes no value; give it alone"};
      parsed.options[name] = "";
      continue;
    }
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (at + 1 < arguments.size() && arguments[at + 1].rfind("--", 0) != 0) {
      value = arguments[++at];
    }
    const std::string problem = check_value(command, *option, value);
    if (!problem.empty()) return Error{problem};
    parsed.options[name] = value;
  }
  return parsed;
}

std::string help_text(const CommandSpec& command) {
  std::string text = "Usage: " + command.usage + "\n\n" + command.summary + "\n";
  if (!command.details.empty()) text += "\n" + command.details + "\n";
  text += "\nOptions:\n";
  for (const OptionSpec& option : command.options) {
    if (option.hidden) continue;
    append_option(option.name + (option.value.empty() ? "" : " " + option.value), option.help, &text);
  }
  append_option("-h, --help", "show this help", &text);
  if (!command.examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : command.examples) text += "  " + example + "\n";
  text += "\nExit status:\n" + command.exit_status + "\n";
  return text;
}

}  // namespace firstfault
