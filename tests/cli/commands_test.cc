// The command line from outside: the forms that scripts rely on, exit status 0, 1 and 2, one line
// on standard error for every mistake. Small reference models; the default model where it is there.
#include <gmock/gmock.h>
#include <pty.h>
#include <unistd.h>

#include <csignal>

#include "cli/program.h"
#include "formats/safetensors.h"

namespace invar {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

const std::string kLlama = "tests/golden/llama";

// A mistake: exit status 2, nothing on standard output, one line that has all of `parts`.
void expect_refused(const std::string& arguments, const std::vector<std::string>& parts) {
  const ProgramRun run = run_program(arguments);
  EXPECT_EQ(run.status, 2) << arguments << "\n" << run.err;
  EXPECT_TRUE(run.out.empty()) << arguments;
  EXPECT_THAT(run.err, MatchesRegex("invar: [^\n]+\n"));
  for (const std::string& part : parts) {
    EXPECT_THAT(run.err, HasSubstr(part)) << arguments;
  }
}

TEST(Cli, HelpListsTheCommands) {
  const ProgramRun run = run_program("--help");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.err, "");
  for (const char* command :
       {"bench", "doctor", "law", "logits", "plan", "run", "template", "tokenize", "verify"}) {
    EXPECT_THAT(run.out, HasSubstr(std::string("\n  ") + command + " "));
    EXPECT_EQ(run_program(command + std::string(" --help")).status, 0) << command;
  }
  EXPECT_THAT(run_program("--version").out, testing::StartsWith("invar "));
}

TEST(Cli, MistakesAreOneLine) {
  expect_refused("''", {"command: expected one of", "verify", "found ''"});
  expect_refused("nonsense", {"expected one of", "found 'nonsense'"});
  expect_refused("verify", {"DIR"});
  expect_refused("law", {"MODEL: expected a GGUF file or a Hugging Face folder, found nothing"});
  expect_refused("law No/Such", {"No/Such: expected a GGUF file or a Hugging Face folder"});
  expect_refused("law /", {"/: expected a model's folder with its config.json, found none"});
  expect_refused("law " + kLlama + "/model.safetensors", {"model.safetensors: expected a model's"});
  expect_refused("logits x --tokens y", {"--out: expected ", ", found nothing"});
  expect_refused("run -x", {"invar run: expected what --help lists, found '-x'"});
  expect_refused("plan a b", {"invar plan: expected what --help lists, found 'b'"});
  expect_refused("--nonsense", {"invar: expected what --help lists, found '--nonsense'"});
  expect_refused("plan " + kLlama + " --rows", {"--rows: expected a value, found nothing"});
  expect_refused("plan " + kLlama + " --rows 0", {"--rows"});
  expect_refused("plan " + kLlama + " --rows many", {"--rows"});
  expect_refused("plan " + kLlama + " --nonsense", {"--nonsense"});
  expect_refused("law " + kLlama + " --isa sse9", {"sse9"});
  expect_refused("logits " + kLlama + " --tokens /nonexistent --out /tmp/x", {"/nonexistent"});
}

TEST(Cli, NoArgumentsGiveTheHelp) {
  const ProgramRun run = run_program("");
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, run_program("--help").out);
}

TEST(Cli, ValuesAreReadWhole) {
  expect_refused("law " + kLlama + " --seed 9223372036854775809",
                 {"--seed: expected an integer from 0 to 9223372036854775807, found "
                  "'9223372036854775809'"});
  expect_refused("law " + kLlama + " --tokens 9223372036854775808", {"'9223372036854775808'"});
  expect_refused("run " + kLlama + " -p x --seed 18446744073709551616", {"'18446744073709551616'"});
  expect_refused("plan " + kLlama + " --rows 3x", {"--rows: expected an integer from 1", "'3x'"});
  for (const std::string value : {"abc", "inf", "nan", "1e400", "1e39", "0.5x", "''"}) {
    expect_refused("run " + kLlama + " -p x --temperature " + value,
                   {"--temperature: expected a number, found '"});
  }
  expect_refused("plan " + kLlama + " --isa ''", {"--isa: expected a text, found ''"});
  expect_refused("run '' -p x", {"MODEL: expected a text, found ''"});
  expect_refused("plan " + kLlama + " --dtype f99", {"--dtype: expected one of auto, f32", "f99"});
}

TEST(Cli, LimitsOfTheModelAreNamed) {
  expect_refused("plan " + kLlama + " --position 4095 --rows 2",
                 {"expected at most 4096 positions together, found 4095 and 2"});
  expect_refused("law " + kLlama + " --case nonsense", {"case: expected one of", "'nonsense'"});
  const TemporaryDirectory directory;
  const std::string out = " --out '" + (directory.path() / "out").string() + "' --tokens ";
  const std::string wrong = directory.write("wrong", "1 2 256 3").string();
  expect_refused("logits " + kLlama + out + wrong,
                 {wrong + ": token 2: expected an id from 0 to 255, found 256"});
  const std::string many = directory.write("many", "1 2 3 4 5 6 7 8 9").string();
  expect_refused("logits " + kLlama + " --context 8" + out + many,
                 {many + ": expected at most 8 tokens (the context), found 9"});
}

TEST(Cli, ControlCharactersAreEscaped) {
  expect_refused("plan \"$(printf '/no\\033[31m\\302\\233\\nfile')\"",
                 {"/no\\x1b[31m\\xc2\\x9b\\nfile: "});
}

TEST(Cli, OutputThatIsLostIsAnError) {
  const std::string full = std::filesystem::exists("/dev/full") ? "/dev/full" : "&-";
  for (const std::string& place : {full, std::string("&-")}) {
    for (const std::string command : {"--version", "--help", "plan --help", "doctor"}) {
      const ProgramRun run = run_program(command + " >" + place);
      EXPECT_EQ(run.status, 2) << command << place;
      EXPECT_THAT(run.err, HasSubstr("standard output: cannot be written")) << command << place;
    }
    EXPECT_EQ(run_program("plan nofile 2>" + place).status, 2) << place;
  }
}

// A process that is the program already, and catches the signal, as the kernel tells.
bool program_catches(pid_t process, int signal) {
  const std::filesystem::path folder = "/proc/" + std::to_string(process);
  if (!std::filesystem::equivalent(folder / "exe", INVAR_PROGRAM)) {
    return false;
  }
  std::ifstream status(folder / "status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) {
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0;
    }
  }
  return false;
}

TEST(Cli, AShortenedModelFileIsExplained) {
  // The kernel raises SIGBUS for a page behind the file's end; here it is sent.
  int input[2];
  int errors[2];
  ASSERT_EQ(::pipe(input), 0);
  ASSERT_EQ(::pipe(errors), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(errors[1], STDERR_FILENO);
    for (const char* options : {"ASAN_OPTIONS", "TSAN_OPTIONS"}) {
      ::setenv(options, "handle_sigbus=0", 1);  // so that the handler seen is the program's own
    }
    ::execl(INVAR_PROGRAM, "invar", "run", kLlama.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(errors[1]);
  for (int i = 0; i < 1000 && !program_catches(child, SIGBUS); ++i) {
    ::usleep(10'000);
  }
  ::kill(child, SIGBUS);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
  char line[200] = {};
  ASSERT_GT(::read(errors[0], line, sizeof(line) - 1), 0);
  EXPECT_STREQ(line, "invar: a mapped model file was shortened while in use\n");
  ::close(input[1]);
  ::close(errors[0]);
}

TEST(Cli, AnAnswerNeedsAPrompt) {
  expect_refused("run " + kLlama, {"prompt: expected a text"});
  expect_refused("run " + kLlama + " </", {"standard input: cannot be read: Is a directory"});
  expect_refused("run " + kLlama + " <&-", {"standard input: cannot be read: Bad file descriptor"});
}

TEST(Cli, FilesOfCommandsAreNamed) {
  const TemporaryDirectory directory;
  const std::string folder = directory.path().string();
  const std::string model =
      directory
          .write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})")
          .parent_path()
          .string();
  expect_refused("tokenize " + model + " " + folder,
                 {folder + ": expected a file, found a directory"});
  expect_refused("tokenize " + model + " /nonexistent",
                 {"/nonexistent: cannot be opened: No such"});
  expect_refused("tokenize", {"tokenize: expected MODEL, or --cases FILE with --tokenizer DIR"});
  expect_refused("tokenize --cases /x", {"expected --tokenizer DIR and no MODEL, found no --tok"});
  expect_refused("tokenize m --cases /x --tokenizer /y", {"and no MODEL, found MODEL 'm'"});
  expect_refused("template", {"template: expected MODEL and --messages FILE, or --cases FILE"});
  expect_refused("template --cases /x", {"template --cases FILE: expected --templates DIR"});
  const std::string messages = directory.write("m.json", "3").string();
  expect_refused("template " + model + " --messages " + messages,
                 {model + ": chat template: expected one, found none"});
  directory.write("chat_template.jinja", "{{ messages|length }}{{ x }}");
  expect_refused("template " + model + " --messages " + messages,
                 {messages + ": expected a list of messages or an object with 'messages', found "
                             "number"});
  directory.write("m.json",
                  R"({"messages": [], "tools": [], "add_generation_prompt": true, "x": 1})");
  EXPECT_EQ(run_program("template " + model + " --messages " + messages).out, "01");
  const std::string logits = "logits " + kLlama + " --out " + folder + "/out --tokens ";
  const std::string ids = directory.write("ids", " \n").string();
  expect_refused(logits + ids, {ids + ": expected token ids, found none"});
  directory.write("ids", "1 x2");
  expect_refused(logits + ids, {ids + ": token 1: expected an id, found 'x2'"});
}

TEST(Cli, AMissingDefaultModelIsExplained) {
  const TemporaryDirectory directory;  // outside of any tree with models
  const std::string copy = (directory.path() / "invar").string();
  const std::string errors = (directory.path() / "errors").string();
  std::filesystem::copy_file(INVAR_PROGRAM, copy);
  EXPECT_NE(std::system(("cd / && '" + copy + "' run -p x 2>'" + errors + "'").c_str()), 0);
  std::ifstream stream(errors);
  std::string line;
  std::getline(stream, line);
  EXPECT_THAT(line, HasSubstr("SmolLM2-135M-Instruct.Q4_1.gguf: the default model is not there"));
}

TEST(Cli, LogitsNeverReplaceTheirInput) {
  const TemporaryDirectory directory;
  const std::filesystem::path model = directory.path() / "model";
  std::filesystem::copy(std::filesystem::path(INVAR_SOURCE_DIR) / kLlama, model);
  const std::string tokens = directory.write("ids", "1 2").string();
  const std::string link = directory.path() / "link";
  std::filesystem::create_symlink(model / "config.json", link);
  const std::string start = "logits " + model.string() + " --tokens " + tokens + " --out ";
  expect_refused(start + tokens, {"--out: expected another file than --tokens"});
  for (const std::string& out :
       {(model / "model.safetensors").string(), (model / "other").string(), link}) {
    expect_refused(start + out, {"--out: expected a file outside of the model"});
  }
}

TEST(Cli, BadFilesAreNamed) {
  const TemporaryDirectory directory;
  const std::string missing = (directory.path() / "missing.gguf").string();
  const std::string torn = directory.write("torn.gguf", "GGUF\x03").string();
  const std::string other = directory.write("other.gguf", "this is no model at all").string();
  const std::string folder = (directory.path() / "folder").string();
  std::filesystem::create_directory(folder);
  for (const std::string& path : {missing, torn, other, folder}) {
    for (const std::string command : {"plan", "run -p x", "law", "tokenize", "bench"}) {
      expect_refused(command + " '" + path + "'", {path});
    }
  }
}

TEST(Cli, VerifyPrintsOneLineAModel) {
  const ProgramRun f32 = run_program("verify " + kLlama);
  EXPECT_EQ(f32.status, 0) << f32.err;
  EXPECT_THAT(
      f32.out,
      MatchesRegex("verify llama: max_abs [0-9.e-]+ rel_l2 [0-9.e-]+ greedy 16/16 long max_abs "
                   "[0-9.e-]+ PASS\n"));
  const ProgramRun bf16 = run_program("verify --dtype bf16 " + kLlama);
  EXPECT_EQ(bf16.status, 0) << bf16.err;
  EXPECT_THAT(bf16.out, HasSubstr(" PASS\n"));
}

TEST(Cli, VerifyFailsAModelWithOtherWeights) {
  const TemporaryDirectory directory;
  const std::filesystem::path copy = directory.path() / "spoiled";
  std::filesystem::copy(std::filesystem::path(INVAR_SOURCE_DIR) / kLlama, copy);
  std::fstream weights(copy / "model.safetensors", std::ios::binary | std::ios::in | std::ios::out);
  weights.seekp(-40000, std::ios::end);
  weights << std::string(20000, '\x3d');  // small, finite, wrong
  weights.close();
  const ProgramRun run = run_program("verify '" + copy.string() + "'");
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("verify spoiled: "));
  EXPECT_THAT(run.out, HasSubstr(" FAIL\n"));
}

TEST(Cli, LawReportsEachCase) {
  const ProgramRun run = run_program("law " + kLlama + " --tokens 130 --seed 7");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("seed 7\n"));
  EXPECT_THAT(run.out, HasSubstr("\nlaw llama solo: equal\n"));
  EXPECT_THAT(run.out, ContainsRegex("\n[1-9][0-9]* equal, 0 differ\n$"));
}

TEST(Cli, LawFuzzesAndReplays) {
  const ProgramRun fuzz = run_program("law " + kLlama + " --threads 1 --seed 5 --fuzz 3");
  EXPECT_EQ(fuzz.status, 0) << fuzz.out << fuzz.err;
  EXPECT_THAT(fuzz.out, ContainsRegex("^seed 5\nlaw llama fuzz: equal\n3 schedules, .*\n1 equal, 0 "
                                      "differ\n$"));
  const TemporaryDirectory directory;
  const std::string steps = "pass 0+70@64\nsnapshot 0 of 0 at 64\nresume 1 from 0\npass 1~3(1)?\n";
  const ProgramRun replay = run_program("law " + kLlama + " --threads 1 --replay '" +
                                        directory.write("schedule", steps).string() + "'");
  EXPECT_EQ(replay.status, 0) << replay.out << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("1 schedules, 4 steps, 73 rows compared"));
  expect_refused(
      "law " + kLlama + " --replay '" + directory.write("wrong", "leap 3\n").string() + "'",
      {"schedule line 1: expected pass,", "found 'leap 3'"});
}

TEST(Cli, LawTellsDetails) {
  const ProgramRun run =
      run_program("law " + kLlama + " --threads 1 --tokens 130 --case fork --details");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("law llama fork: equal\n  [0-9]+ rows compared in [0-9.]+ s; "
                                     "copied [1-9][0-9]* kv_blocks, 0 state_pages"));
}

TEST(Cli, LogitsAreWrittenAndRepeat) {
  const TemporaryDirectory directory;
  const std::string tokens = directory.write("ids", "1 2\n3\t4 5\n").string();
  std::vector<std::string> bytes;
  for (const char* threads : {"1", "2"}) {
    const std::filesystem::path out = directory.path() / threads;
    const ProgramRun run = run_program("logits " + kLlama + " --threads " + threads +
                                       " --tokens '" + tokens + "' --out '" + out.string() + "'");
    ASSERT_EQ(run.status, 0) << run.err;
    const SafetensorsFile file = SafetensorsFile::open(out);
    const TensorEntry* logits = file.find("logits");
    ASSERT_NE(logits, nullptr);
    EXPECT_EQ(logits->type, SafetensorsType::kF32);
    EXPECT_EQ(logits->shape, (std::vector<int64_t>{5, 256}));
    bytes.emplace_back(reinterpret_cast<const char*>(logits->data.data()), logits->data.size());
  }
  EXPECT_TRUE(bytes[0] == bytes[1]) << "the logits depend on the number of threads";
}

TEST(Cli, PlanListsTheOps) {
  const ProgramRun run = run_program("plan " + kLlama + " --rows 3");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("model.layers.0.mlp.down_proj.weight"));
  EXPECT_THAT(run.out, HasSubstr("3 row(s)"));
}

TEST(Cli, BenchChecksItsOutput) {
  const ProgramRun run = run_program("bench " + kLlama + " -p 16 -n 4 --json");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"output_checked\": true"));
  EXPECT_THAT(run.out, HasSubstr("\"decode_tokens_per_second\": "));
  EXPECT_THAT(run.out, Not(HasSubstr("\"batch\"")));
  const ProgramRun batch = run_program("bench " + kLlama + " -p 16 -n 4 --json --sequences 3");
  EXPECT_EQ(batch.status, 0) << batch.err;
  EXPECT_THAT(batch.out, ContainsRegex("\"batch\": \\{[^}]*\"output_checked\": true"));
  EXPECT_THAT(run_program("bench " + kLlama + " -p 16 -n 4 --sequences 3").out,
              HasSubstr("(3 sequences at a time, "));
  const ProgramRun verify = run_program("bench " + kLlama + " -p 16 -n 4 --json --verify 4");
  EXPECT_EQ(verify.status, 0) << verify.err;
  EXPECT_THAT(verify.out, ContainsRegex("\"verify\": \\{[^}]*\"output_checked\": true"));
  EXPECT_THAT(run_program("bench " + kLlama + " -p 16 -n 4 --verify 4").out,
              HasSubstr("verify     4 rows "));
}

TEST(Cli, BenchFailsLogitsThatAreNoNumbers) {
  const TemporaryDirectory directory;
  const std::filesystem::path copy = directory.path() / "spoiled";
  std::filesystem::copy(std::filesystem::path(INVAR_SOURCE_DIR) / kLlama, copy);
  std::fstream weights(copy / "model.safetensors", std::ios::binary | std::ios::in | std::ios::out);
  weights.seekp(-40000, std::ios::end);
  weights << std::string(40000, '\xff');
  weights.close();
  const ProgramRun run = run_program("bench " + copy.string() + " -p 16 -n 4");
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("WRONG: logits that are not finite numbers"));
}

TEST(Cli, DoctorDescribesTheMachine) {
  const ProgramRun run = run_program("doctor");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("backend that would run: cpu/"));
  const ProgramRun measured = run_program("doctor --measure");
  EXPECT_EQ(measured.status, 0) << measured.err;
  for (const char* what : {"\nread bandwidth, 1 thread\\(s\\): [0-9.]+ GB/s\n",
                           "\nf32 products in cache, 1 thread\\(s\\): [0-9.]+ G operations/s\n",
                           "\nint8 \\(Q8_0\\) products in cache, [0-9]+ thread"}) {
    EXPECT_THAT(measured.out, ContainsRegex(what));
  }
}

TEST(Cli, TheDefaultModelAnswersFromAnyFolder) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const std::string arguments = "run -p 'What is the capital of France?' -n 12 --temperature 0";
  const ProgramRun first = run_program(arguments);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("Paris"));
  const ProgramRun again = run_program(arguments, "", "/");
  EXPECT_EQ(again.out, first.out);
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// What the chat prints at a terminal after `typed`, without any locale in the environment.
std::string chat_at_a_terminal(const std::string& typed) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::chdir(INVAR_SOURCE_DIR);
    ::execl("/usr/bin/env", "env", "-i", "TERM=xterm", INVAR_PROGRAM, "run", kDefaultModelFile,
            static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::string printed;
  char piece[4096];
  bool has_typed = false;
  for (ssize_t count = 0; (count = ::read(terminal, piece, sizeof(piece))) > 0;) {
    printed.append(piece, static_cast<size_t>(count));
    if (!has_typed && printed.ends_with("> ")) {
      has_typed = ::write(terminal, typed.data(), typed.size()) > 0;
    }
  }
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return printed;
}

TEST(Cli, TheChatReadsEveryCharacter) {
  INVAR_NEEDS_DEFAULT_MODEL();
  EXPECT_THAT(chat_at_a_terminal("/é😀z\n/quit\n"), HasSubstr("unknown command /é😀z\r\n"));
}

TEST(Cli, PastedLinesStayTogether) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "chat.json").string();
  const std::string printed = chat_at_a_terminal(
      "\x1b[200~/system one\ttwo\nthr\x1b[31mee\ré\x1b[201~\n/save " + path + "\n/quit\n");
  EXPECT_THAT(read_file(path), HasSubstr(R"("one\ttwo\nthr[31mee\né")"));
  EXPECT_THAT(printed, HasSubstr("\x1b[?2004h> "));        // asked for before the prompt ...
  EXPECT_THAT(printed, testing::EndsWith("\x1b[?2004l"));  // ... and taken back
}

TEST(Cli, TheChatSavesAndLoads) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "chat.json").string();
  const std::string saved = chat_at_a_terminal("/system Be kind.\n/save " + path + "\n/quit\n");
  EXPECT_EQ(read_file(path),
            "[\n  {\n    \"role\": \"system\",\n    \"content\": \"Be kind.\"\n  }\n]\n");
  const std::string again = (directory.path() / "again.json").string();
  chat_at_a_terminal("/load " + path + "\n/reset\n/save " + again + "\n/quit\n");
  EXPECT_EQ(read_file(again), read_file(path));
  chat_at_a_terminal("/load " + path + "\n/system\n/save " + again + "\n/quit\n");
  EXPECT_EQ(read_file(again), "[]\n");
}

TEST(Cli, TheChatNamesWhatItCannotLoad) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const TemporaryDirectory directory;
  int number = 0;
  std::string typed = "/load\n/save\n/save /nonexistent/file\n/load /nonexistent/file\n/help\n";
  for (const char* content :
       {"{}", "[3]", R"([{"content": "a"}])", R"([{"role": "user", "content": [1]}])",
        R"([{"role": "user", "content": "a"}, {"role": "wizard", "content": "a"}])",
        R"([{"role": "user", "content": "a", "name": "b"}])", "[", "\"\xff\""}) {
    typed += "/load " + directory.write(std::to_string(number++), content).string() + "\n";
  }
  const std::string printed = chat_at_a_terminal(typed + "/quit\n");
  const std::string base = directory.path().string();
  for (const std::string& part :
       {std::string("/load: expected a file, found nothing"),
        std::string("/save: expected a file, found nothing"),
        std::string("/nonexistent/file: cannot write: No such file"),
        std::string("/nonexistent/file: "), std::string("/load FILE       read a conversation"),
        base + "/0: expected a list of messages, found object",
        base + "/1: messages[0]: expected an object with 'role' and 'content', found number",
        base + "/2: messages[0].role: expected a string, found nothing",
        base + "/3: messages[0].content: expected a string, found array",
        base + "/4: messages[1].role: expected 'system', 'user' or 'assistant', found 'wizard'",
        base + "/5: messages[0].name: expected 'role' and 'content' only",
        base + "/6: line 1, byte", base + "/7: line 1, byte"}) {
    EXPECT_THAT(printed, HasSubstr(part));
  }
}

TEST(Cli, AQuestionMayComeByStandardInput) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const ProgramRun run = run_program("run -n 12 --temperature 0", "What is the capital of France?");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Paris"));
}

TEST(Cli, TokenizeAndTemplateTheDefaultModel) {
  INVAR_NEEDS_DEFAULT_MODEL();
  const std::string model(kDefaultModelFile);
  const ProgramRun ids = run_program("tokenize " + model, "Hello world");
  EXPECT_EQ(ids.status, 0) << ids.err;
  EXPECT_EQ(ids.out, "19556 905\n");
  const TemporaryDirectory directory;
  const std::string messages =
      directory.write("m.json", R"([{"role": "user", "content": "Hi"}])").string();
  const ProgramRun text = run_program("template " + model + " --messages '" + messages + "'");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"));
}

}  // namespace
}  // namespace invar
