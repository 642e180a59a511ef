// What the language server needs of the analysis: the Analyzer, or a stand-in for it in tests. Thread-safe.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "analysis/analyzer.hpp"

namespace firstfault::lsp {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Result<Analysis> analyze_paths(const std::vector<std::string>& paths,
                                         const AnalyzeOptions& options) const = 0;
  virtual Result<Analysis> analyze_text(const std::vector<NamedText>& texts,
                                        const AnalyzeOptions& options) const = 0;
  virtual const Signature* explain_line(std::string_view line) const = 0;
  virtual bool looks_like_log(std::string_view head) const = 0;
  virtual const std::vector<Signature>& signatures() const = 0;  // lives as long as the engine
};

std::shared_ptr<const Engine> make_engine(std::shared_ptr<const Analyzer> analyzer);

// By id, nullptr if there is none.
const Signature* find_signature(const Engine& engine, std::string_view id);

}  // namespace firstfault::lsp
