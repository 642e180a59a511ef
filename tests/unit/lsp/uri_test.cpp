#include "lsp/uri.hpp"

#include <doctest/doctest.h>

#include "lsp/workspace.hpp"

namespace firstfault::lsp {
namespace {

TEST_CASE("A path survives the way to a URI and back") {
  for (const std::string path :
       {"/a/b.log", "/with space/100%/#1?.log", "/\xC3\xA9\xF0\x9F\x94\xA5/x+y&z=[1];@:,",
        "/back\\slash\"quote'", "/%20literal"}) {
    CAPTURE(path);
    const std::string uri = path_to_uri(path);
    CHECK(uri.find_first_of(" #?\"\\[]") == std::string::npos);
    CHECK(uri_to_path(uri) == path);
  }
  CHECK(path_to_uri("/a b/\xC3\xA9.log") == "file:///a%20b/%C3%A9.log");
}

TEST_CASE("File URIs are read in the forms that clients write") {
  CHECK(uri_to_path("file:///a%20b.log") == "/a b.log");
  CHECK(uri_to_path("FILE://localhost/a.log") == "/a.log");
  CHECK(uri_to_path("file:/a.log") == "/a.log");
  CHECK(uri_to_path("file:///a/./b/../c/") == "/a/c");
  CHECK(uri_to_path("file:///a%zz%2") == "/a%zz%2");
  CHECK(uri_to_path("file:///a.log?query#part") == "/a.log");
}

TEST_CASE("What is no file of this machine has no path") {
  for (const std::string uri : {"untitled:Untitled-1", "vscode-remote://ssh-remote/a.log",
                                "file://server/share/a", "file:", "file:///a%00b", "", "a.log"}) {
    CAPTURE(uri);
    CHECK_FALSE(uri_to_path(uri).has_value());
  }
  CHECK(uri_to_name("untitled:Untitled-1") == "Untitled-1");
  CHECK(uri_to_name("vscode-remote://ssh-remote/home/a%20b.log") == "ssh-remote/home/a b.log");
  CHECK(uri_to_name("file:///x/a.log") == "/x/a.log");
}

TEST_CASE("The workspace of a path is the innermost folder that holds it, else the first") {
  Workspace workspace;
  CHECK(workspace.folder_for("/w/a.py").empty());
  workspace.add({"file:///first", "file:///w", "file:///w/inner/", "untitled:x", "file:///w"});
  CHECK(workspace.folder_for("/w/a.py") == "/w");
  CHECK(workspace.folder_for("/w/inner/a.py") == "/w/inner");
  CHECK(workspace.folder_for("/within/a.py") == "/first");
  workspace.remove({"file:///w/inner"});
  CHECK(workspace.folder_for("/w/inner/a.py") == "/w");
  CHECK(relative_to("/w", "/w/sub/a.py") == "sub/a.py");
  CHECK_FALSE(relative_to("/w", "/w2/a.py").has_value());
  CHECK_FALSE(relative_to("", "/a.py").has_value());
}

}  // namespace
}  // namespace firstfault::lsp
