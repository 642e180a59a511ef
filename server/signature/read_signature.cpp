#include "signature/read_signature.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "signature/library.hpp"

namespace firstfault {
namespace {

// In the order of the enums of signature.hpp.
constexpr std::string_view kRoles[] = {"cause", "consequence", "either", "context"};
constexpr std::string_view kTiers[] = {"physical", "clock", "exception", "kill", "symptom", "fact"};
constexpr std::string_view kGives[] = {"nothing",
                                       "rank-map",
                                       "world-size",
                                       "progress",
                                       "completed",
                                       "attempt-start",
                                       "exit",
                                       "kill",
                                       "signalled",
                                       "collective-timeout",
                                       "collective-status",
                                       "collective-issue",
                                       "collective-absent",
                                       "peer-lost"};
constexpr std::string_view kMatchIns[] = {"log", "source"};
constexpr std::string_view kOwners[] = {"researcher", "cluster-admin"};
constexpr std::string_view kScopes[] = {"rank", "host", "launcher", "all", "external"};
constexpr std::string_view kRecipes[] = {"python-keyword-argument"};
constexpr std::string_view kApplicabilities[] = {"safe", "review", "placeholder"};
constexpr std::string_view kConclusions[] = {
    "op-mismatch", "shape-mismatch",       "skipped-by-rank",      "uneven-inputs", "straggler",
    "peer-died",   "timeout-unattributed", "killed-unexplained",   "segfault",      "abort",
    "bus-error",   "illegal-instruction",  "terminated-by-signal", "nonzero-exit",  "python-exception",
    "unknown"};

constexpr std::size_t kMinExamples = 2;

bool is_kebab_case(std::string_view id) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (id.empty() || !is_word(id.front()) || !is_word(id.back())) return false;
  if (id.find("--") != std::string_view::npos) return false;
  return std::all_of(id.begin(), id.end(), [&](char c) { return is_word(c) || c == '-'; });
}

std::string named_choice(const JsonField& file, std::string_view key,
                         std::span<const std::string_view> choices) {
  return file.has(key) ? std::string(choices[file.choice_at(key, choices)]) : "";
}

Needs read_needs(const JsonField& owner) {
  Needs needs;
  const auto field = owner.at("needs");
  if (!field || !field->object({"all", "any", "none"})) return needs;
  needs.all = field->texts_at("all");
  needs.any = field->texts_at("any");
  needs.none = field->texts_at("none");
  return needs;
}

ConditionalText read_text(const JsonField& field) {
  if (field.is_string()) return {field.text(), {}};
  if (!field.is_object()) {
    field.problem("must be a string or an object with \"text\"");
    return {};
  }
  field.object({"text", "needs"}, {"text"});
  return {field.text_at("text"), read_needs(field)};
}

Match read_match(const JsonField& field) {
  Match match;
  if (!field.object({"in", "patterns", "unless", "record", "recordUnless", "needs", "derived"})) return match;
  match.in = static_cast<MatchIn>(field.choice_at("in", kMatchIns));
  match.patterns = field.texts_at("patterns", 1, 4);
  match.unless = field.texts_at("unless", 0, 2);
  match.record = field.texts_at("record", 0, 2);
  match.record_unless = field.texts_at("recordUnless", 0, 2);
  match.needs = read_needs(field);
  match.derived = named_choice(field, "derived", kConclusions);
  if (field.has("patterns") == field.has("derived"))
    field.problem("needs exactly one of \"patterns\" and \"derived\"; keep one");
  return match;
}

Explain read_explain(const JsonField& field) {
  if (!field.object({"what", "mechanism", "confusedWith", "confirm", "refute"}, {"what"})) return {};
  return {field.text_at("what"), field.text_at("mechanism"), field.text_at("confusedWith"),
          field.texts_at("confirm"), field.texts_at("refute")};
}

Fix read_fix(const JsonField& field) {
  Fix fix;
  if (!field.object({"summary", "steps"}, {"summary"})) return fix;
  if (const auto summary = field.at("summary")) fix.summary = read_text(*summary);
  if (const auto steps = field.at("steps")) {
    for (const JsonField& step : steps->elements()) fix.steps.push_back(read_text(step));
  }
  return fix;
}

EditRecipe read_edit(const JsonField& field) {
  EditRecipe edit;
  if (!field.object({"recipe", "title", "applicability", "preferred", "callables", "keyword", "value",
                     "replaceIf", "needs"},
                    {"recipe", "title", "applicability", "callables", "keyword", "value"})) {
    return edit;
  }
  edit.recipe = named_choice(field, "recipe", kRecipes);
  edit.title = field.text_at("title");
  edit.applicability = named_choice(field, "applicability", kApplicabilities);
  edit.preferred = field.boolean_at("preferred");
  edit.callables = field.texts_at("callables", 1);
  edit.keyword = field.text_at("keyword");
  edit.value = field.text_at("value");
  edit.replace_if = field.text_at("replaceIf");
  edit.needs = read_needs(field);
  return edit;
}

Verify read_verify(const JsonField& field) {
  Verify verify;
  if (!field.object({"command", "expect", "refutes", "needsRoot"}, {"command", "expect"})) return verify;
  if (const auto command = field.at("command")) verify.command = read_text(*command);
  verify.expect = field.text_at("expect");
  verify.refutes = field.text_at("refutes");
  verify.needs_root = field.boolean_at("needsRoot");
  return verify;
}

Example read_example(const JsonField& field) {
  if (field.is_string()) return {field.text(1), ""};
  if (!field.is_object()) {
    field.problem("must be a string or an object with \"text\"");
    return {};
  }
  field.object({"text", "source"}, {"text"});
  return {field.text_at("text"), field.text_at("source")};
}

std::vector<Example> read_example_list(const JsonField& examples, std::string_view key, std::size_t wanted) {
  std::vector<Example> list;
  const auto field = examples.at(key);
  if (field) {
    for (const JsonField& example : field->elements()) list.push_back(read_example(example));
  }
  if (list.size() < wanted) {
    (field ? *field : examples)
        .problem("has " + std::to_string(list.size()) + " " + std::string(key) +
                 " examples; a signature with patterns needs at least " + std::to_string(wanted));
  }
  return list;
}

Tier default_tier(Role role) {
  if (role == Role::kContext) return Tier::kFact;
  return role == Role::kConsequence ? Tier::kSymptom : Tier::kException;
}

void read_identity(const JsonField& file, std::string_view base_name, Signature* signature) {
  if (const auto id = file.at("id")) {
    signature->id = id->text();
    if (!signature->id.empty() && !is_kebab_case(signature->id)) {
      id->problem("\"" + signature->id + "\" is no id; use lower-case words joined by \"-\"");
    } else if (signature->id != base_name) {
      id->problem("must equal the file's name, \"" + std::string(base_name) + "\"; rename one of them");
    }
  }
  if (const auto title = file.at("title")) signature->title = title->text(3, 80);
  signature->role = static_cast<Role>(file.choice_at("role", kRoles));
  signature->cause = file.text_at("cause");
  if (!file.has("cause") && file.has("role") && signature->role != Role::kContext)
    file.problem("has no \"cause\"; give an id of taxonomy.json, or make role \"context\"");
  signature->tier =
      file.has("tier") ? static_cast<Tier>(file.choice_at("tier", kTiers)) : default_tier(signature->role);
  signature->gives = static_cast<Gives>(file.choice_at("gives", kGives));
  if (const auto specificity = file.at("specificity")) signature->specificity = specificity->integer(0, 100);
  signature->owner = named_choice(file, "owner", kOwners);
  signature->scope = named_choice(file, "scope", kScopes);
  if (signature->scope == "rank") signature->scope.clear();  // the default, spelled out
  signature->frameworks = file.texts_at("frameworks");
  signature->versions = file.text_at("versions");
}

void read_advice(const JsonField& file, Signature* signature) {
  if (const auto explain = file.at("explain")) signature->explain = read_explain(*explain);
  if (const auto fix = file.at("fix")) signature->fix = read_fix(*fix);
  if (const auto edits = file.at("edits")) {
    for (const JsonField& edit : edits->elements()) signature->edits.push_back(read_edit(edit));
  }
  if (const auto verify = file.at("verify")) signature->verify = read_verify(*verify);
  signature->prevent = file.texts_at("prevent");
  if (const auto references = file.at("references")) {
    for (const JsonField& reference : references->elements()) {
      signature->references.push_back(reference.text());
      if (reference.is_string() && signature->references.back().rfind("https://", 0) != 0)
        reference.problem("is no https:// address; cite a public page");
    }
  }
}

void read_examples(const JsonField& file, Signature* signature) {
  const auto examples = file.at("examples");
  if (!examples || !examples->object({"positive", "negative"})) return;
  const std::size_t wanted = signature->match.patterns.empty() ? 0 : kMinExamples;
  signature->positive = read_example_list(*examples, "positive", wanted);
  signature->negative = read_example_list(*examples, "negative", wanted);
}

}  // namespace

Signature read_signature(const nlohmann::json& json, std::string_view base_name,
                         std::vector<Problem>* problems) {
  Signature signature;
  const JsonField file(json, "", problems);
  if (!file.object({"$schema",     "id",    "cause",  "title",      "role",       "tier",    "gives",
                    "specificity", "owner", "scope",  "frameworks", "versions",   "match",   "explain",
                    "fix",         "edits", "verify", "prevent",    "references", "examples"},
                   {"id", "title", "role", "match", "examples"})) {
    return signature;
  }
  file.text_at("$schema");
  read_identity(file, base_name, &signature);
  if (const auto match = file.at("match")) {
    signature.match = read_match(*match);
    if (signature.match.in == MatchIn::kSource && signature.role != Role::kContext)
      match->problem("\"in\": \"source\" is only for role \"context\"; source alone is no failure");
  }
  read_advice(file, &signature);
  read_examples(file, &signature);
  return signature;
}

std::string_view role_name(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

}  // namespace firstfault
