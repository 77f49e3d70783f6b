// Lists the names of standard headers, and puts the texts that stand for them together.
#include "tuner/device/compile/standard_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warptune::tuner {

namespace {

constexpr std::string_view header_names = R"(
algorithm array assert.h atomic bitset cassert cctype cerrno cfloat chrono climits cmath complex cstdarg
cstddef cstdint cstdio cstdlib cstring ctime ctype.h deque errno.h exception filesystem float.h fstream
functional getopt.h initializer_list inttypes.h iomanip ios iosfwd iostream istream iterator limits limits.h
list malloc.h map math.h memory mutex new numeric omp.h optional ostream queue random ratio set span sstream
stack stdbool.h stddef.h stdexcept stdint.h stdio.h stdlib.h string string.h string_view strings.h thread
time.h tuple type_traits unistd.h unordered_map unordered_set utility vector
bits/stdc++.h any charconv codecvt condition_variable csignal cwchar execution
forward_list future locale regex shared_mutex signal.h system_error typeindex typeinfo valarray variant wchar.h
barrier bit ccomplex cfenv cinttypes ciso646 clocale compare concepts coroutine csetjmp cstdbool ctgmath cuchar
cwctype expected format generator latch mdspan memory_resource numbers print ranges scoped_allocator semaphore
source_location stacktrace stop_token streambuf strstream syncstream version
aio.h argp.h byteswap.h complex.h cpio.h dirent.h dlfcn.h endian.h err.h error.h execinfo.h fcntl.h features.h
fenv.h fmtmsg.h fnmatch.h ftw.h glob.h grp.h iconv.h ifaddrs.h iso646.h langinfo.h libgen.h locale.h memory.h
mntent.h monetary.h mqueue.h netdb.h nl_types.h poll.h pthread.h pwd.h regex.h sched.h search.h semaphore.h
setjmp.h spawn.h stdalign.h stdarg.h stdatomic.h stdnoreturn.h stropts.h sysexits.h syslog.h tar.h termios.h
tgmath.h threads.h uchar.h ucontext.h ulimit.h utime.h utmpx.h values.h wait.h wctype.h wordexp.h
direct.h io.h process.h tchar.h winbase.h windows.h winsock.h winsock2.h
)";

std::set<std::string_view> names_in(std::string_view list) {
  std::set<std::string_view> names;
  for (std::size_t begin = 0; (begin = list.find_first_not_of(" \n", begin)) != std::string_view::npos;) {
    const std::size_t end = std::min(list.find_first_of(" \n", begin), list.size());
    names.insert(list.substr(begin, end - begin));
    begin = end;
  }
  return names;
}

// NVRTC has these functions and types itself, and C++ has them in namespace std too. The functions have overloads for
// float and double.
constexpr std::string_view std_names = R"(
abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma
fmax fmin fmod frexp hypot ilogb isfinite isinf isnan ldexp lgamma llrint llround log log10 log1p log2 logb lrint
lround modf nan nanf nearbyint nextafter pow remainder remquo rint round scalbln scalbn signbit sin sinh sqrt tan
tanh tgamma trunc acosf acoshf asinf asinhf atanf atan2f atanhf cbrtf ceilf copysignf cosf coshf erff erfcf expf
exp2f expm1f fabsf fdimf floorf fmaf fmaxf fminf fmodf hypotf logf log10f log1pf log2f powf roundf sinf sinhf sqrtf
tanf tanhf truncf labs llabs memcpy memset malloc free printf size_t ptrdiff_t clock_t clock int8_t uint8_t int16_t
uint16_t int32_t uint32_t int64_t uint64_t intptr_t uintptr_t
)";

// Device code uses more of these headers than NVRTC has, and libcu++ has that. Its other headers would cost each
// compile a second for what only the host calls, such as <chrono> for a timer.
constexpr std::array<std::string_view, 6> of_libcu = {"array", "initializer_list", "limits",
                                                      "tuple", "type_traits",      "utility"};
constexpr std::array<std::string_view, 5> with_limits = {"limits.h", "climits", "float.h", "cfloat", "values.h"};
constexpr std::array<std::string_view, 4> with_integer_limits = {"stdint.h", "cstdint", "inttypes.h", "cinttypes"};

constexpr std::string_view integer_limits = R"(#ifndef INT32_MAX
#define INT8_MIN SCHAR_MIN
#define INT16_MIN SHRT_MIN
#define INT32_MIN INT_MIN
#define INT64_MIN LLONG_MIN
#define INT8_MAX SCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT32_MAX INT_MAX
#define INT64_MAX LLONG_MAX
#define UINT8_MAX UCHAR_MAX
#define UINT16_MAX USHRT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULLONG_MAX
#define SIZE_MAX UINT64_MAX
#endif
)";

constexpr std::string_view minimum_and_maximum = R"(
template <class T> __host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
)";

std::string in_namespace_std() {
  std::string text = "#ifndef WARPTUNE_STANDARD_NAMES\n#define WARPTUNE_STANDARD_NAMES\nnamespace std {\n";
  for (const std::string_view name : names_in(std_names)) text += fmt::format("using ::{};\n", name);
  return text + std::string(minimum_and_maximum) + "}\n#endif\n";
}

}  // namespace

const std::string_view standard_types = R"(typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
)";

// The macros are written as in libcu++, which a source may include as well: a macro may be repeated, not changed.
const std::string_view standard_limits = R"(#ifndef CHAR_BIT
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-SHRT_MAX - 1)
#define SHRT_MAX 0x7fff
#define USHRT_MAX 0xffff
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 0x7fffffff
#define UINT_MAX 0xffffffff
#define LONG_MIN (-LONG_MAX - 1)
#define LONG_MAX LLONG_MAX
#define ULONG_MAX ULLONG_MAX
#define LLONG_MIN (-LLONG_MAX - 1)
#define LLONG_MAX 0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffUL
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#endif
)";

const std::set<std::string_view>& standard_headers() {
  static const std::set<std::string_view> names = names_in(header_names);
  return names;
}

bool is_standard_header(std::string_view name) {
  constexpr std::array<std::string_view, 7> folders = {"sys/", "linux/", "asm/", "bits/", "net/", "netinet/", "arpa/"};
  return standard_headers().contains(name) ||
         std::ranges::any_of(folders, [&](std::string_view folder) { return name.starts_with(folder); });
}

std::string standard_header_text(std::string_view name) {
  std::string text(standard_types);
  text += "#ifndef offsetof\n#define offsetof(type, member) __builtin_offsetof(type, member)\n#endif\n";
  const bool of_types = std::ranges::find(with_integer_limits, name) != with_integer_limits.end();
  if (of_types || std::ranges::find(with_limits, name) != with_limits.end()) text += standard_limits;
  if (of_types) text += integer_limits;
  text += in_namespace_std();
  if (std::ranges::find(of_libcu, name) != of_libcu.end())
    text += fmt::format(
        "#if __has_include(<cuda/std/{0}>)\n#include <cuda/std/{0}>\nnamespace std {{ using namespace ::cuda::std; "
        "}}\n#endif\n",
        name);
  return text;
}

const std::map<std::string, std::string>& standard_header_texts() {
  static const std::map<std::string, std::string> texts = [] {
    std::map<std::string, std::string> made;
    for (const std::string_view name : standard_headers()) made.emplace(name, standard_header_text(name));
    return made;
  }();
  return texts;
}

}  // namespace warptune::tuner
