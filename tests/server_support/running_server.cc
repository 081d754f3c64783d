// See running_server.h.
#include "server_support/running_server.h"

#include <utility>

namespace invar {

RunningServer::RunningServer(PassRunner& runner, Options options) {
  if (!options.has_template) {
    text_.chat_template.reset();
  }
  options.engine.eos_token_ids = {kEosId};
  engine_ = std::make_unique<Engine>(runner, options.engine);
  engine_->start();
  options.server.random = [this] { return random_.fetch_add(1) << 11; };
  server_ = std::make_unique<Server>(ServedModel{.id = kTestModel,
                                                 .fingerprint = "m0-p0-n1",
                                                 .created = 1'700'000'000,
                                                 .context_positions = runner.context_positions(),
                                                 .choices_max = runner.limits().segments_max,
                                                 .prompts_max = 8,
                                                 .vocabulary = runner.vocabulary(),
                                                 .engine = engine_.get(),
                                                 .text = &text_},
                                     std::move(options.server));
  thread_ = std::thread([this] { server_->run(); });
}

void RunningServer::stop() {
  if (thread_.joinable()) {
    server_->stop();
    thread_.join();
  }
}

}  // namespace invar
