#include <doctest/doctest.h>

#include "report/report.hpp"
#include "sample.hpp"

using namespace firstfault;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

}  // namespace

TEST_CASE("the HTML form is one document without scripts, shut off from the network") {
  const std::string page = render(sample_diagnosis(), Format::kHtml);
  CHECK(page.rfind("<!DOCTYPE html>\n<html lang=\"en\">", 0) == 0);
  CHECK(page.find("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                  "'unsafe-inline'\">") != std::string::npos);
  CHECK(page.find("prefers-color-scheme: dark") != std::string::npos);
  CHECK(count(page, "<script") == 0);
  CHECK(count(page, "src=") == 0);
  CHECK(count(page, "<h1>rank 3 failed first: CUDA out of memory</h1>") == 1);
  CHECK(count(page, "<section>") == count(page, "</section>"));
  CHECK(count(page, "<section>") == 7);
  CHECK(page.find("<code>logs/train.log:120</code> <span class=\"dim\">rank 3, cause</span>") !=
        std::string::npos);
  CHECK(page.find("<td>0-2, 4-7</td>") != std::string::npos);
  CHECK(page.find("<title>FirstFault: rank 3 failed first: CUDA out of memory</title>") != std::string::npos);
}

TEST_CASE("a hostile log is only text in HTML") {
  Diagnosis diagnosis = sample_diagnosis();
  IncidentReport& incident = diagnosis.incidents[0];
  for (std::string* field :
       {&incident.cause.summary, &incident.cause.id, &incident.initiator->why, &incident.evidence[0].text,
        &incident.evidence[0].path, &incident.evidence[0].role, &incident.collateral[0].why,
        &incident.alternatives[0].id, &incident.fix.steps[0], &incident.fix.edits[0].title,
        &incident.fix.edits[0].changes[0].new_text, &incident.verify.command, &incident.references[0],
        &diagnosis.job.launcher, &diagnosis.sources[0].path}) {
    *field = "\"'><script>x</script>\x1b\xff";
  }
  const std::string page = render(diagnosis, Format::kHtml);
  CHECK(count(page, "<script") == 0);
  CHECK(count(page, "&quot;&#39;&gt;&lt;script&gt;x&lt;/script&gt;\\x1b\xEF\xBF\xBD") >= 15);
}

TEST_CASE("only https references become HTML links") {
  Diagnosis diagnosis = sample_diagnosis();
  diagnosis.incidents[0].references = {"javascript:alert(1)", "https://a/?b&c\"d"};
  const std::string page = render(diagnosis, Format::kHtml);
  CHECK(page.find("<li>javascript:alert(1)</li>") != std::string::npos);
  CHECK(page.find("href=\"https://a/?b&amp;c&quot;d\"") != std::string::npos);
  CHECK(count(page, "href=") == 1);
}

TEST_CASE("HTML says plainly that there is no failure") {
  Diagnosis diagnosis;
  diagnosis.sources = {{"a.log", 10, 12}};
  const std::string page = render(diagnosis, Format::kHtml);
  CHECK(page.find("<h1 class=\"fine\">No failure found in 12 lines of 1 source.</h1>") != std::string::npos);
}
