#pragma once
// A RequestService serves the requests of a server one after the other: each pass of the program is for one
// of them. Pure logic.

#include "models/host/requests/service.h"

namespace heddle {

class RequestService : public Service {
 public:
  using Service::Service;

  const RequestValues* start(std::uint64_t now_ps) override;
  void end(std::uint64_t now_ps) override;
  std::string pass_name() const override;
  std::uint64_t deadline_ps() const override { return deadline_ps_; }

  const Request* request() const { return request_; }  // in service, or the last one; null before the first

 private:
  const Request* request_ = nullptr;
  std::uint64_t start_ps_ = 0;  // of the service
  std::uint64_t deadline_ps_ = 0;
};

}  // namespace heddle
