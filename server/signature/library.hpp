// The loaded set of signatures.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "signature/signature.hpp"

namespace firstfault {

// One file of a signature folder: `path` relative to the folder, and its text.
struct SignatureFile {
  std::string path;
  std::string text;
};

struct LoadOptions {
  std::string folder = "signatures";  // what messages put before each file's path
  // Whether RE2 must compile every expression, the slow part of a load. Off only for files whose
  // expressions the tests of the build have checked.
  bool check_patterns = true;
};

// "cuda/cuda-oom.json" -> "cuda-oom".
std::string_view signature_base_name(std::string_view path);
// Whether a file of a signature folder is taxonomy.json, schema.json or calibration.json, and no signature.
bool is_signature_table(std::string_view path);

// The word that files and answers use for a role: cause | consequence | either | context.
std::string_view role_name(Role role);

struct CauseInfo {
  std::string id;
  std::string layer;
  std::string means;
};

// How often an evidence pattern's answer was right, of how often it was given, on recorded incidents.
struct Frequency {
  int right = 0;
  int total = 0;
};

// Immutable after loading; safe to share between threads.
class Library {
 public:
  // Loads every *.json of the files given: taxonomy.json, schema.json and calibration.json by name, all
  // others as signatures. All problems are collected, each naming file, line, JSON path and remedy; any
  // problem fails the load.
  static Result<std::shared_ptr<const Library>> load(const std::vector<SignatureFile>& files,
                                                     const LoadOptions& options = {});
  // Every *.json below a folder (--signatures DIR), in the order of their paths.
  static Result<std::vector<SignatureFile>> read_folder(const std::string& folder);

  const std::vector<Signature>& signatures() const { return signatures_; }
  const Signature* find(std::string_view id) const;             // by id, nullptr if there is none
  int index_of(std::string_view id) const;                      // -1 if there is none
  const Signature* derived(std::string_view conclusion) const;  // by match.derived
  const CauseInfo* cause(std::string_view id) const;
  const std::map<std::string, CauseInfo, std::less<>>& causes() const { return causes_; }
  const Frequency* frequency(std::string_view pattern) const;  // measured frequency, nullptr: not measured

 private:
  friend class LibraryLoader;
  std::vector<Signature> signatures_;
  std::map<std::string, int, std::less<>> index_;
  std::map<std::string, int, std::less<>> derived_;
  std::map<std::string, CauseInfo, std::less<>> causes_;
  std::map<std::string, Frequency, std::less<>> frequencies_;
};

// The signatures that were embedded in the binary at build time (defined by the generated
// ff_embedded_signatures).
std::vector<SignatureFile> embedded_signature_files();

}  // namespace firstfault
