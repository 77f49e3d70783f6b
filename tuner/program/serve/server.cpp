// Serves connections with Boost.Asio's asynchronous operations, in one thread.
#include "tuner/program/serve/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <csignal>
#include <list>
#include <thread>

#include "search/error.h"
#include "search/plain_text.h"
#include "tuner/system/machine.h"

namespace warptune::tuner::serve {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
using net::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::seconds;

// A browser that neither asks nor takes anything for this long is gone.
constexpr seconds patience(30);
constexpr milliseconds between_looks(100);  // at the sources that streams are fed from
constexpr seconds between_beats(15);        // on an idle stream, where they reveal a proxy or a dead peer
constexpr std::uint32_t most_header_bytes = 16384;
constexpr std::size_t most_connections = 200;
// At most this many connections are strangers', who have not been let in yet: everybody can connect, and then say
// nothing.
constexpr std::size_t most_strangers = 100;

class Connection;

// Shared holds what the connections of one server have in common.
struct Shared {
  Handler handler;
  std::size_t connections = 0, streams = 0;
  std::list<Connection*> strangers;  // the oldest first
  bool ending = false;               // a stream then ends once its browser has been told everything
};

Request request_of(const beast::http::request<beast::http::empty_body>& message) {
  std::optional<Request> request = parse_target({message.target().data(), message.target().size()});
  if (!request) throw search::Error(search::ErrorKind::usage, "the address cannot be read");
  request->method = std::string(message.method_string());
  for (const auto& field : message) {
    request->headers[search::lower_case(std::string(field.name_string()))] = std::string(field.value());
  }
  return *request;
}

Response answer(const Handler& handler, const beast::http::request<beast::http::empty_body>& message) {
  try {
    return handler(request_of(message));
  } catch (const search::Error& error) {
    return {error.kind() == search::ErrorKind::usage ? 400U : 500U, "text/plain; charset=utf-8",
            std::string(error.what()) + '\n'};
  } catch (const std::exception& error) {
    return {500, "text/plain; charset=utf-8", std::string(error.what()) + '\n'};
  }
}

// A connection is one browser's socket. The operation that it waits for keeps it alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared)
      : stream_(std::move(socket)), timer_(stream_.get_executor()), shared_(shared) {
    ++shared_.connections;
    shared_.strangers.push_back(this);
  }
  ~Connection() {
    --shared_.connections;
    be_no_stranger();
    if (events_) --shared_.streams;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Makes room for another connection: what this one waits for ends, and with that the connection.
  void give_way() {
    be_no_stranger();
    stream_.close();
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(most_header_bytes);
    stream_.expires_after(patience);
    beast::http::async_read_header(stream_, buffer_, *parser_,
                                   [self = shared_from_this()](beast::error_code error, std::size_t) {
                                     if (!error) self->reply();
                                   });
  }

 private:
  void be_no_stranger() { shared_.strangers.remove(this); }
  void reply();
  void write(Response response);
  void open_stream(const Response& response);
  void send_news();
  void wait_for_news();
  void look_for_news();
  void end_stream();
  void watch_for_end();
  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<beast::http::request_parser<beast::http::empty_body>> parser_;
  beast::http::response<beast::http::string_body> message_;
  net::steady_timer timer_;
  Shared& shared_;
  std::shared_ptr<EventSource> events_;
  std::uint64_t seen_ = 0;
  std::string news_;
  bool gone_ = false;
  std::chrono::steady_clock::time_point sent_;
};

void Connection::reply() {
  Response response = answer(shared_.handler, parser_->get());
  constexpr unsigned first_refusal = 400;
  if (response.status < first_refusal) be_no_stranger();
  if (response.events)
    open_stream(response);
  else
    write(std::move(response));
}

void Connection::write(Response response) {
  message_ = {};
  message_.version(11);
  message_.result(response.status);
  message_.set(beast::http::field::content_type, response.type);
  for (const auto& [name, value] : response.headers) message_.set(name, value);
  // A body that came with the request is not read; the next request could not be told from it.
  message_.keep_alive(parser_->get().keep_alive() && parser_->is_done());
  if (parser_->get().method() != beast::http::verb::head) message_.body() = std::move(response.body);
  message_.prepare_payload();
  stream_.expires_after(patience);
  beast::http::async_write(stream_, message_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) return;
    if (self->message_.keep_alive())
      self->read();
    else
      self->close();
  });
}

// Begins a stream of events. It ends with the connection, since a stream has no length.
void Connection::open_stream(const Response& response) {
  events_ = response.events;
  ++shared_.streams;
  news_ = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n";
  for (const auto& [name, value] : response.headers) news_ += name + ": " + value + "\r\n";
  news_ += "\r\n" + events_->news(seen_);
  send_news();
  watch_for_end();
}

// Waits for the browser to end the stream. A browser says nothing more on a stream, so that whatever comes is its end.
void Connection::watch_for_end() {
  stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this()](beast::error_code) {
    self->gone_ = true;
    self->timer_.cancel();
    self->stream_.cancel();
  });
}

// Nothing else is prepared until the browser has taken this: what it misses meanwhile is dropped.
void Connection::send_news() {
  sent_ = std::chrono::steady_clock::now();
  stream_.expires_after(patience);
  net::async_write(stream_, net::buffer(news_), [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (!error && !self->gone_) self->wait_for_news();
  });
}

void Connection::wait_for_news() {
  timer_.expires_after(between_looks);
  timer_.async_wait([self = shared_from_this()](beast::error_code error) {
    if (!error && !self->gone_) self->look_for_news();
  });
}

void Connection::look_for_news() {
  news_ = events_->news(seen_);
  if (!news_.empty()) return send_news();
  if (shared_.ending) return end_stream();
  if (std::chrono::steady_clock::now() - sent_ < between_beats) return wait_for_news();
  news_ = ": beat\n\n";
  send_news();
}

// Closes the stream. That also ends the wait for the browser's end, which is the last operation to hold this
// connection.
void Connection::end_stream() {
  stream_.close();
}

[[noreturn]] void refuse(const std::string& host, unsigned short port, const beast::error_code& error) {
  std::string remedy = "--port 0 takes a free one";
  if (error == net::error::access_denied) remedy = "ports below 1024 are the administrator's; " + remedy;
  if (error == net::error::address_in_use)
    remedy =
        "another program (perhaps another warptune) has it; end that, name another --port, or leave it out: then a "
        "free one is taken";
  if (port == 0 || error == net::error::host_not_found || error.value() == EADDRNOTAVAIL)
    remedy = "--host takes an address or a name of this machine; 127.0.0.1 is this machine alone";
  throw search::Error(search::ErrorKind::usage, fmt::format("cannot listen on port {} of {}: {} ({}); {}", port, host,
                                                            error.message(), error.value(), remedy));
}

}  // namespace

struct Server::Impl {
  std::string host;
  Shared shared;  // outlives the connections, which die with `context`
  net::io_context context{1};
  tcp::acceptor acceptor{context};
  net::steady_timer farewell{context};
  std::thread thread;

  void listen(unsigned short port);
  void accept();
  void take_connection();
  void say_farewell(int looks_left);
};

void Server::Impl::listen(unsigned short port) {
  beast::error_code error;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, error);
  if (error) refuse(host, port, net::error::host_not_found);
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor.open(endpoint.protocol(), error);
  if (error) refuse(host, port, error);
  // With this flag, no worker or compiler that is started later keeps the port open.
  fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
  acceptor.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  if (error) refuse(host, port, error);
}

void Server::Impl::accept() {
  acceptor.async_wait(tcp::acceptor::wait_read, [this](beast::error_code error) {
    if (error) return;
    take_connection();
    accept();
  });
}

// Accepts a connection by hand, because Asio's own function does not set CLOEXEC in the same step, and workers are
// started at any time.
void Server::Impl::take_connection() {
  const int descriptor = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) {
    // No descriptors are left, and the browser waits in the queue. Without a pause this thread would spin.
    if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(between_looks);
    return;
  }
  tcp::socket socket(context, acceptor.local_endpoint().protocol(), descriptor);
  const bool full = shared.connections >= most_connections;
  if (full && shared.strangers.empty()) return;
  if (full || shared.strangers.size() >= most_strangers) shared.strangers.front()->give_way();
  std::make_shared<Connection>(std::move(socket), shared)->read();
}

void Server::Impl::say_farewell(int looks_left) {
  if (shared.streams == 0 || looks_left == 0) return context.stop();
  farewell.expires_after(milliseconds(20));
  farewell.async_wait([this, looks_left](beast::error_code) { say_farewell(looks_left - 1); });
}

Server::Server(const std::string& host, unsigned short port) : impl_(std::make_unique<Impl>()) {
  impl_->host = host;
  impl_->listen(port);
}

Server::~Server() {
  stop();
}

unsigned short Server::port() const {
  return impl_->acceptor.local_endpoint().port();
}

std::string Server::address() const {
  const auto bound = impl_->acceptor.local_endpoint().address();
  std::string name = impl_->host;
  if (bound.is_unspecified()) {
    name = host_name();
    if (name.empty()) name = "localhost";
  }
  if (name.find(':') != std::string::npos) name = '[' + name + ']';
  return fmt::format("http://{}:{}", name, port());
}

void Server::start(Handler handler, Share share) {
  impl_->shared.handler = std::move(handler);
  impl_->accept();
  // The new thread takes no signals, which are the main thread's.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  impl_->thread = std::thread([this, share] {
    // Linux has a niceness for each thread.
    constexpr int nice = 10;
    if (share == Share::little) setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nice);
    impl_->context.run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Server::stop() {
  if (!impl_->thread.joinable()) return;
  net::post(impl_->context, [this] {
    constexpr int most_looks = 250;  // 5 s, for a browser that takes nothing any more
    impl_->shared.ending = true;
    impl_->say_farewell(most_looks);
  });
  impl_->thread.join();
}

}  // namespace warptune::tuner::serve
