// What NVRTC opens by its bare name when it first compiles; nothing of it is ever called.
extern "C" int fake_nvrtc_builtins() {
  return 13;
}
