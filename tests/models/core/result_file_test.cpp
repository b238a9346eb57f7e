#include "models/core/config/result_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

class ResultFiles : public testing::Test {
 protected:
  ResultFiles() {
    std::string path = fs::temp_directory_path() / "heddle-result-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory");
    folder_ = path;
  }
  ~ResultFiles() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  // Returns the message of the refusal, or nothing.
  static std::string refusal(const std::string& file, Existing existing) {
    try {
      ResultFile result(file, existing, "--csv");
      write(result.draft(), "new");
      result.finish();
    } catch (const config::Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

TEST_F(ResultFiles, AreThereWholeOrNotAtAll) {
  for (const Existing existing : {Existing::kRefused, Existing::kReplaced, Existing::kOwned}) {
    const std::string file = path("a");
    {
      ResultFile result(file, existing, "--csv");
      write(result.draft(), "new");
      EXPECT_FALSE(fs::exists(file));
    }
    EXPECT_EQ(count(), 0u) << "a draft that was not finished is gone";
    EXPECT_EQ(refusal(file, existing), "");
    EXPECT_EQ(read(file), "new");
    EXPECT_EQ(count(), 1u);
    fs::remove(file);
  }
}

TEST_F(ResultFiles, ReplaceAPlainFileOnlyWhereThatIsWanted) {
  write(path("a"), "old");
  EXPECT_EQ(refusal(path("a"), Existing::kRefused),
            path("a") + ": the file exists; choose another with --csv");
  EXPECT_EQ(read(path("a")), "old");
  EXPECT_EQ(refusal(path("a"), Existing::kReplaced), "");
  EXPECT_EQ(read(path("a")), "new");
}

TEST_F(ResultFiles, NeverReplaceALinkAFifoOrAFolder) {
  write(path("target"), "old");
  fs::create_symlink("target", path("link"));
  fs::create_symlink("nothing", path("dangling"));
  fs::create_symlink("/dev/null", path("device"));
  fs::create_directory(path("folder"));
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const std::size_t before = count();
  for (const Existing existing : {Existing::kRefused, Existing::kReplaced, Existing::kOwned}) {
    for (const char* name : {"link", "dangling", "device"})
      EXPECT_EQ(refusal(path(name), existing),
                "--csv " + path(name) + ": is a link; a result is written to a plain file");
    EXPECT_EQ(refusal(path("folder"), existing),
              "--csv " + path("folder") + ": is a directory; a result is written to a plain file");
    EXPECT_EQ(refusal(path("fifo"), existing),
              "--csv " + path("fifo") + ": is a FIFO; a result is written to a plain file");
  }
  EXPECT_EQ(count(), before);
  EXPECT_EQ(read(path("target")), "old");
}

TEST_F(ResultFiles, NeverReplaceAnInputWhateverItsName) {
  write(path("input"), "old");
  fs::create_hard_link(path("input"), path("same"));
  fs::create_symlink("input", path("link"));
  config::read_file(path("link"));
  for (const char* name : {"input", "same", "link"})
    EXPECT_EQ(refusal(path(name), Existing::kReplaced),
              "--csv " + path(name) + ": is the input " + path("link"));
  EXPECT_EQ(read(path("input")), "old");
  EXPECT_EQ(refusal(path("input"), Existing::kOwned), "") << "a file that the program alone writes";
}

TEST_F(ResultFiles, NeverReplaceWhatBecameAnInputMeanwhile) {
  write(path("late"), "old");
  ResultFile result(path("late"), Existing::kReplaced, "--log-file");
  write(result.draft(), "new");
  config::check_file(path("late"));
  EXPECT_THROW(result.finish(), config::Error);
  EXPECT_EQ(read(path("late")), "old");
}

TEST_F(ResultFiles, TwoOfOneProcessNeverHaveTheSamePath) {
  const ResultFile first(path("a"), Existing::kReplaced, "--out");
  EXPECT_EQ(refusal(folder_ / "." / "a", Existing::kReplaced),
            "--csv " + (folder_ / "." / "a").string() + ": this command writes another result there");
}

TEST_F(ResultFiles, ADraftOfAnotherProcessClaimsThePath) {
  write(path("a.partial"), "theirs");
  EXPECT_EQ(
      refusal(path("a"), Existing::kRefused),
      path("a") + ": " + path("a") +
          ".partial exists: another run writes there, or one was killed; choose another file with --csv");
  EXPECT_EQ(read(path("a.partial")), "theirs");
}

TEST_F(ResultFiles, WithoutAFolderAreRefused) {
  EXPECT_EQ(refusal(path("none/a"), Existing::kReplaced),
            "--csv " + path("none/a") + ": there is no such folder");
}

TEST_F(ResultFiles, GoToFoldersAndNotToFilesInTheirPlace) {
  fs::create_directory(path("folder"));
  write(path("file"), "");
  fs::create_symlink("folder", path("link"));
  fs::create_symlink("file", path("wrong"));
  fs::create_symlink("none", path("dangling"));
  for (const char* good : {"folder", "link", "new"})
    EXPECT_NO_THROW(check_result_folder(path(good), "--dir"));
  for (const char* bad : {"file", "wrong", "dangling"})
    EXPECT_THROW(check_result_folder(path(bad), "--dir"), config::Error) << bad;
}

}  // namespace
}  // namespace heddle
