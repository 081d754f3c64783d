// A whole server on a free port over any runner, for tests over sockets.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "engine/engine.h"
#include "server/server.h"
#include "server_support/byte_tokenizer.h"

namespace invar {

class RunningServer {
 public:
  struct Options {
    ServerOptions server = {};
    EngineOptions engine = {};
    bool has_template = true;
  };
  // The runner must outlive it and belong to it alone.
  explicit RunningServer(PassRunner& runner) : RunningServer(runner, Options{}) {}
  RunningServer(PassRunner& runner, Options options);
  ~RunningServer() { stop(); }

  uint16_t port() const { return server_->port(); }
  Engine& engine() { return *engine_; }
  // Lets running answers finish; harmless if repeated.
  void stop();

 private:
  ModelText text_ = make_byte_text();
  std::atomic<uint64_t> random_{0};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

// The model's name there.
inline constexpr const char* kTestModel = "tiny";

}  // namespace invar
