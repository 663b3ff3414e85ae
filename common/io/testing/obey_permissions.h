#ifndef MODELPORT_COMMON_IO_TESTING_OBEY_PERMISSIONS_H_
#define MODELPORT_COMMON_IO_TESTING_OBEY_PERMISSIONS_H_

#include <functional>

namespace modelport {

// Drops every capability of the calling thread, so that file permissions bind it even if it runs as root. A program
// that the thread executes does not get them back.
void ObeyPermissions();

// Calls `function` on a new thread that has called ObeyPermissions.
void CallObeyingPermissions(const std::function<void()>& function);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_TESTING_OBEY_PERMISSIONS_H_
