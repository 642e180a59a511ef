#include "lsp/engine.hpp"

namespace firstfault::lsp {
namespace {

class AnalyzerEngine : public Engine {
 public:
  explicit AnalyzerEngine(std::shared_ptr<const Analyzer> analyzer) : analyzer_(std::move(analyzer)) {}

  Result<Analysis> analyze_paths(const std::vector<std::string>& paths,
                                 const AnalyzeOptions& options) const override {
    return analyzer_->analyze_paths(paths, options);
  }
  Result<Analysis> analyze_text(const std::vector<NamedText>& texts,
                                const AnalyzeOptions& options) const override {
    return analyzer_->analyze_text(texts, options);
  }
  const Signature* explain_line(std::string_view line) const override {
    return analyzer_->explain_line(line);
  }
  bool looks_like_log(std::string_view head) const override { return analyzer_->looks_like_log(head); }
  const std::vector<Signature>& signatures() const override { return analyzer_->library().signatures(); }

 private:
  std::shared_ptr<const Analyzer> analyzer_;
};

}  // namespace

std::shared_ptr<const Engine> make_engine(std::shared_ptr<const Analyzer> analyzer) {
  return std::make_shared<AnalyzerEngine>(std::move(analyzer));
}

const Signature* find_signature(const Engine& engine, std::string_view id) {
  for (const Signature& signature : engine.signatures()) {
    if (signature.id == id) return &signature;
  }
  return nullptr;
}

}  // namespace firstfault::lsp
