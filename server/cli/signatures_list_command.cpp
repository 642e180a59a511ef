#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/load_library.hpp"
#include "report/report.hpp"

namespace firstfault {
namespace {

std::string as_json(const Library& library) {
  auto list = nlohmann::ordered_json::array();
  for (const Signature& signature : library.signatures()) {
    list.push_back({{"id", signature.id},
                    {"cause", signature.cause},
                    {"role", role_name(signature.role)},
                    {"title", signature.title},
                    {"file", signature.file}});
  }
  return list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string as_text(const Library& library) {
  std::size_t id_width = 0;
  std::size_t cause_width = 0;
  for (const Signature& signature : library.signatures()) {
    id_width = std::max(id_width, signature.id.size());
    cause_width = std::max(cause_width, signature.cause.size());
  }
  std::string text;
  for (const Signature& signature : library.signatures()) {
    text += padded(signature.id, id_width + 2) + padded(std::string(role_name(signature.role)), 13) +
            padded(signature.cause, cause_width + 2) + escape_terminal(signature.title) + "\n";
  }
  return text;
}

}  // namespace

const CommandSpec& signatures_list_spec() {
  static const CommandSpec spec = {
      "signatures list",
      "firstfault signatures list [OPTION]...",
      "Lists the signatures: id, role, cause and title.",
      "",
      {{"--format",
        "FORMAT",
        "text (default) or json: an array of {id, cause, role, title,\nfile}; the file is below the "
        "signature folder",
        {"text", "json"}},
       signatures_option()},
      {"firstfault signatures list", "firstfault signatures list --format json --signatures my-signatures"},
      "  0  listed\n  2  bad usage or unreadable signatures"};
  return spec;
}

int run_signatures_list(const Arguments& arguments, const CliStreams& streams) {
  if (!arguments.operands.empty()) {
    return usage_error(streams, "signatures list takes no operand; name a folder with --signatures " +
                                    arguments.operands.front());
  }
  const auto library = load_library(arguments.get("--signatures"));
  if (!library) return usage_error(streams, library.error().message);
  const bool json = arguments.get("--format", "text") == "json";
  return write_out(streams, json ? as_json(**library) : as_text(**library), kExitOk);
}

}  // namespace firstfault
