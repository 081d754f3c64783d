// The server as a whole: endpoints, keys and cross-origin rules over one model and its engine.
//
//   Server server(model, options);
//   server.run();    // until stop() or a signal
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/http/http_server.h"
#include "server/served_model.h"
#include "server/static_files.h"

namespace invar {

struct ServerOptions {
  HttpServerOptions http = {};
  std::string api_key = {};      // empty: none is asked for
  std::string cors_origin = {};  // an origin, or "*"; empty: browsers on other pages are refused
  std::vector<StaticFile> static_files = {};
  // 64 bits that nobody can guess, for ids and for the seeds of requests without one. Any thread.
  std::function<uint64_t()> random = {};
};

class Server {
 public:
  // Listens from here on. Errors: as HttpServer.
  Server(const ServedModel& model, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const;
  void run();   // see HttpServer
  void stop();  // any thread

 private:
  class Handler;
  std::unique_ptr<Handler> handler_;
  std::unique_ptr<HttpServer> http_;
};

// Whether the strings are equal; takes the same time wherever they differ.
bool equal_in_constant_time(std::string_view secret, std::string_view given);

}  // namespace invar
