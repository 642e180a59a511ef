#include "attribution/rank_index.hpp"

#include <doctest/doctest.h>

using namespace firstfault;

TEST_CASE("bus ids are equal in every form that drivers and libraries print") {
  CHECK(bus_key("00000000:8A:00.0") == "8a:00");
  CHECK(bus_key("0000:8a:00") == "8a:00");
  CHECK(bus_key("PCI:0000:8a:00") == "8a:00");
  CHECK(bus_key("8a000") == "8a:00");
  CHECK(bus_key("1000") == "01:00");
  CHECK(bus_key("0001:8a:00.0") == "1:8a:00");
}

TEST_CASE("hosts are compared by their first label, addresses whole") {
  CHECK(host_key("Node03.cluster.local") == "node03");
  CHECK(host_key("10.0.4.11") == "10.0.4.11");
}

TEST_CASE("rank lists are read with ranges and in any brackets") {
  CHECK(parse_rank_list("0-3,7") == std::vector<int>{0, 1, 2, 3, 7});
  CHECK(parse_rank_list("[1, 3]") == std::vector<int>{1, 3});
  CHECK(parse_rank_list("5") == std::vector<int>{5});
  CHECK(parse_rank_list("none").empty());
  CHECK(parse_rank_list("99999999999999999999999").size() <= 1);
}
