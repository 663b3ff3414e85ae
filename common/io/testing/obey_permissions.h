#ifndef MODELPORT_COMMON_IO_TESTING_OBEY_PERMISSIONS_H_
#define MODELPORT_COMMON_IO_TESTING_OBEY_PERMISSIONS_H_

#include <functional>

namespace modelport {

// Makes the calling thread, and the program that its process may become, obey the permissions of files as an ordinary
// owner does, even if it is root's: it gives up every capability.
void ObeyPermissions();

// Calls `function` on a thread that does so.
void CallObeyingPermissions(const std::function<void()>& function);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_TESTING_OBEY_PERMISSIONS_H_
