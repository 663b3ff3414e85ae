#include "common/io/testing/obey_permissions.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace modelport {

void ObeyPermissions() {
  // Without this, root gets its capabilities back with the next exec. Ordinary users may not call it and do not need
  // it.
  prctl(PR_SET_SECUREBITS, SECBIT_NOROOT);
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  syscall(SYS_capset, &header, none);
}

void CallObeyingPermissions(const std::function<void()>& function) {
  std::thread([&function] {
    ObeyPermissions();
    function();
  }).join();
}

}  // namespace modelport
