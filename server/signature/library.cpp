#include "signature/library.hpp"

#include <algorithm>
#include <utility>

#include "signature/check_regexes.hpp"
#include "signature/json_lines.hpp"
#include "signature/nearest_word.hpp"
#include "signature/read_signature.hpp"
#include "signature/read_tables.hpp"

namespace firstfault {
namespace {

// "[json.exception.parse_error.101] parse error at line 5, column 3: syntax error while ..." -> from "syntax
// error" on.
std::string parser_message(const nlohmann::json::exception& error) {
  const std::string_view text(error.what());
  const std::size_t start = text.find(": ");
  return std::string(start == std::string_view::npos ? text : text.substr(start + 2));
}

bool is_cluster_layer(std::string_view layer) {
  return layer == "hardware" || layer == "network" || layer == "scheduler" || layer == "storage";
}

}  // namespace

// Builds a Library; lives for one load.
class LibraryLoader {
 public:
  LibraryLoader(const std::vector<SignatureFile>& files, const LoadOptions& options) : options_(options) {
    for (const SignatureFile& file : files) files_.push_back(&file);
    // Indices of signatures must not depend on the order in which a file system lists them.
    std::sort(files_.begin(), files_.end(), [](auto* a, auto* b) { return a->path < b->path; });
  }

  Result<std::shared_ptr<const Library>> load() {
    for (const SignatureFile* file : files_) read(*file);
    check_ids();
    check_causes();
    check_needs();
    if (!messages_.empty()) return Error{joined_messages()};
    return std::shared_ptr<const Library>(std::move(library_));
  }

 private:
  void read(const SignatureFile& file) {
    nlohmann::json json;
    try {
      json = nlohmann::json::parse(file.text);
    } catch (const nlohmann::json::parse_error& error) {
      const int line = line_of_byte(file.text, error.byte == 0 ? 0 : error.byte - 1);
      add_message(file, line, parser_message(error) + "; correct the JSON");
      return;
    } catch (const nlohmann::json::exception& error) {
      add_message(file, 1, parser_message(error) + "; correct the JSON");
      return;
    }
    std::vector<Problem> problems;
    const std::string_view name = signature_base_name(file.path);
    if (name == "taxonomy") {
      has_taxonomy_ = true;
      library_->causes_ = read_taxonomy(json, &problems);
    } else if (name == "calibration") {
      library_->frequencies_ = read_calibration(json, &problems);
    } else if (name != "schema") {
      library_->signatures_.push_back(read_signature(json, name, &problems));
      if (options_.check_patterns) check_regexes(library_->signatures_.back(), &problems);
      library_->signatures_.back().file = file.path;
      sources_.push_back(&file);
    }
    for (const Problem& problem : problems) add_problem(file, problem);
  }

  void check_ids() {
    auto& signatures = library_->signatures_;
    for (std::size_t index = 0; index < signatures.size(); ++index) {
      const Signature& signature = signatures[index];
      const int number = static_cast<int>(index);
      if (!signature.id.empty()) {
        const auto [at, added] = library_->index_.emplace(signature.id, number);
        if (!added) {
          add_problem(*sources_[index],
                      {"/id", "\"" + signature.id + "\" is also the id of " + shown(file_of(at->second)) +
                                  "; ids are unique, rename one"});
        }
      }
      if (signature.match.derived.empty()) continue;
      const auto [at, added] = library_->derived_.emplace(signature.match.derived, number);
      if (!added) {
        add_problem(*sources_[index],
                    {"/match/derived", "\"" + signature.match.derived + "\" is already explained by " +
                                           shown(file_of(at->second)) + "; remove one"});
      }
    }
  }

  void check_causes() {
    if (!has_taxonomy_) {
      messages_.push_back(options_.folder + "/taxonomy.json: missing; add the list of causes");
      return;
    }
    std::vector<std::string_view> ids;
    for (const auto& [id, info] : library_->causes_) ids.push_back(id);
    for (std::size_t index = 0; index < library_->signatures_.size(); ++index) {
      Signature& signature = library_->signatures_[index];
      if (const CauseInfo* info = library_->cause(signature.cause)) {
        signature.layer = info->layer;
      } else if (!signature.cause.empty()) {
        add_problem(*sources_[index], {"/cause", unknown("cause", signature.cause, "taxonomy.json", ids)});
      }
      if (signature.owner.empty())
        signature.owner = is_cluster_layer(signature.layer) ? "cluster-admin" : "researcher";
    }
  }

  void check_needs() {
    for (std::size_t index = 0; index < library_->signatures_.size(); ++index) {
      const Signature& signature = library_->signatures_[index];
      const auto check = [&](const Needs& needs, const std::string& owner) {
        check_need_list(index, needs.all, owner + "/needs/all");
        check_need_list(index, needs.any, owner + "/needs/any");
        check_need_list(index, needs.none, owner + "/needs/none");
      };
      check(signature.match.needs, "/match");
      check(signature.fix.summary.needs, "/fix/summary");
      for (std::size_t step = 0; step < signature.fix.steps.size(); ++step)
        check(signature.fix.steps[step].needs, "/fix/steps/" + std::to_string(step));
      for (std::size_t edit = 0; edit < signature.edits.size(); ++edit)
        check(signature.edits[edit].needs, "/edits/" + std::to_string(edit));
      check(signature.verify.command.needs, "/verify/command");
    }
  }

  void check_need_list(std::size_t signature, const std::vector<std::string>& ids,
                       const std::string& pointer) {
    for (std::size_t at = 0; at < ids.size(); ++at) {
      if (library_->find(ids[at]) != nullptr) continue;
      std::vector<std::string_view> known;
      for (const auto& [id, index] : library_->index_) known.push_back(id);
      add_problem(*sources_[signature], {pointer + "/" + std::to_string(at),
                                         unknown("signature", ids[at], "the id of any file", known)});
    }
  }

  static std::string unknown(std::string_view kind, const std::string& id, std::string_view where,
                             const std::vector<std::string_view>& known) {
    const std::string near = nearest_word(id, known);
    return "unknown " + std::string(kind) + " \"" + id + "\", not in " + std::string(where) + "; " +
           (near.empty() ? "correct the id" : "did you mean \"" + near + "\"?");
  }

  std::string shown(const std::string& path) const {
    return options_.folder.empty() ? path : options_.folder + "/" + path;
  }

  const std::string& file_of(int signature) const {
    return library_->signatures_[static_cast<std::size_t>(signature)].file;
  }

  void add_problem(const SignatureFile& file, const Problem& problem) {
    const std::string place = problem.pointer.empty() ? "" : problem.pointer + ": ";
    add_message(file, json_line(file.text, problem.pointer), place + problem.message);
  }

  void add_message(const SignatureFile& file, int line, const std::string& message) {
    messages_.push_back(shown(file.path) + ":" + std::to_string(line) + ": " + message);
  }

  std::string joined_messages() const {
    std::string all;
    for (const std::string& message : messages_) {
      if (!all.empty()) all += "\n";
      all += message;
    }
    return all;
  }

  LoadOptions options_;
  std::vector<const SignatureFile*> files_;
  std::vector<const SignatureFile*> sources_;  // of each signature
  std::shared_ptr<Library> library_ = std::make_shared<Library>();
  std::vector<std::string> messages_;
  bool has_taxonomy_ = false;
};

Result<std::shared_ptr<const Library>> Library::load(const std::vector<SignatureFile>& files,
                                                     const LoadOptions& options) {
  return LibraryLoader(files, options).load();
}

const Signature* Library::find(std::string_view id) const {
  const int index = index_of(id);
  return index < 0 ? nullptr : &signatures_[static_cast<std::size_t>(index)];
}

int Library::index_of(std::string_view id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? -1 : found->second;
}

const Signature* Library::derived(std::string_view conclusion) const {
  const auto found = derived_.find(conclusion);
  return found == derived_.end() ? nullptr : &signatures_[static_cast<std::size_t>(found->second)];
}

const CauseInfo* Library::cause(std::string_view id) const {
  const auto found = causes_.find(id);
  return found == causes_.end() ? nullptr : &found->second;
}

const Frequency* Library::frequency(std::string_view pattern) const {
  const auto found = frequencies_.find(pattern);
  return found == frequencies_.end() ? nullptr : &found->second;
}

std::string_view signature_base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  constexpr std::string_view kEnding = ".json";
  if (path.size() >= kEnding.size() && path.substr(path.size() - kEnding.size()) == kEnding)
    path.remove_suffix(kEnding.size());
  return path;
}

bool is_signature_table(std::string_view path) {
  const std::string_view name = signature_base_name(path);
  return name == "taxonomy" || name == "schema" || name == "calibration";
}

}  // namespace firstfault
