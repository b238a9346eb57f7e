// heddle reproduce, for a card whose programs take a moment.

#include <regex>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {

namespace {

class ReproduceCard : public CliTest {
 protected:
  ReproduceCard() {
    write("card.csv",
          "# Made up for a test.\nsuite,benchmark,launch,parameters,cycles,launch_bound,accel_sim\n"
          "polybench,mvt,polybench_mvt,n=32;block_x=8,9000,0,9900\n"
          "polybench,gemm,polybench_gemm,n=32;block_x=32,3000,1,2400\n");
    write("card.yaml", R"(card: small
title: A small card
platform: gtx480
table: card.csv
run_time: 30s
short: {points: {without: [gemm]}}
mechanisms:
  - {mechanism: flits, change: {crossbar.flit: 8B}, meaning: A flit has 8 bytes.}
)");
  }

  static std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  }
};

TEST_F(ReproduceCard, RunsEachPointOnceAndOnceWithoutEachMechanismAndWritesItsPage) {
  const Outcome first = heddle("reproduce card.yaml --out there --jobs 2");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(count(first.out, " ok: "), 4u) << first.out;
  EXPECT_NE(first.out.find("| crossbar.flit=8B | 2 |"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("card_page: there/small/index.html"), std::string::npos) << first.out;
  const std::string page = read("there/small/index.html");
  for (const char* words : {"A small card", "crossbar.flit=8B", "A flit has 8 bytes.", "Made up for a test.",
                            "heddle reproduce card.yaml", "gtx480.yaml", "mean absolute error of Accel-Sim"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
  // A number leads to the run that it is of, which is there.
  std::smatch link;
  ASSERT_TRUE(std::regex_search(page, link, std::regex("href=\"(points/runs/[0-9a-f]+/)\"")));
  EXPECT_TRUE(exists("there/small/" + link[1].str() + "kernels.csv"));
  EXPECT_TRUE(exists("there/small/plots/points-1.svg"));
  EXPECT_NE(read("there/small/table.md").find("| mvt | n=32 block_x=8 | 9000 |"), std::string::npos);
  EXPECT_FALSE(exists("there/index.html"));  // the page of papers
  const Outcome again = heddle("reproduce card.yaml --out there");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(count(again.out, " ok: "), 0u) << again.out;
  EXPECT_EQ(read("there/small/index.html"), page);
}

TEST_F(ReproduceCard, APlanStatesTheTimeAndRunsNothing) {
  const Outcome plan = heddle("reproduce card.yaml --out there --plan --jobs 2");
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("4 runs are left, about 0:01:00 with 2 at a time, by what its file states."),
            std::string::npos)
      << plan.out;
  EXPECT_FALSE(exists("there"));
}

TEST_F(ReproduceCard, ResumeGoesOnInTheShortFormAndThePageSaysWhatIsMissing) {
  ASSERT_EQ(heddle("reproduce card.yaml --short --out there --quiet").code, 0);
  EXPECT_EQ(read("there/small/table.md").find("| gemm |"), std::string::npos);
  std::filesystem::remove_all(directory_ / "there/small/flits");  // as if it had been interrupted before
  const Outcome page = heddle("reproduce small --page --out there");
  ASSERT_EQ(page.code, 0) << page.err;
  EXPECT_NE(read("there/small/index.html").find("Partial: 1 of 2 runs."), std::string::npos);
  EXPECT_EQ(heddle("reproduce --page --strict --out there").code, 3);
  const Outcome resumed = heddle("reproduce --resume --out there");
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(count(resumed.out, " ok: "), 1u) << resumed.out;
  EXPECT_EQ(read("there/small/index.html").find("Partial"), std::string::npos);
}

TEST_F(ReproduceCard, RefusesWithOneMessageAndWritesNothing) {
  EXPECT_EQ(heddle("reproduce h10 --out there")
                .err.rfind("heddle: there is no paper or card 'h10'; did you mean", 0),
            0u);
  EXPECT_EQ(heddle("reproduce card.yaml --window 200k --out there").code, 2);
  write("card.yaml", std::regex_replace(read("card.yaml"), std::regex("crossbar.flit"), "crossbar.flut"));
  const Outcome unknown = heddle("reproduce card.yaml --out there");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("card.yaml:8:"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("did you mean"), std::string::npos) << unknown.err;
  EXPECT_FALSE(exists("there"));
}

TEST_F(ReproduceCard, CheckAndListNameCards) {
  const Outcome check = heddle("check card.yaml");
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_NE(check.out.find("card small: A small card\n  points: 2 of the table's 2 points\n"),
            std::string::npos)
      << check.out;
  EXPECT_EQ(heddle("check card.yaml --set a=1").code, 2);
  EXPECT_NE(heddle("list cards").out.find("NVIDIA H100 PCIe"), std::string::npos);
}

}  // namespace

}  // namespace heddle::test
