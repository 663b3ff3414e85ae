#ifndef MODELPORT_TESTS_OBEY_PERMISSIONS_H_
#define MODELPORT_TESTS_OBEY_PERMISSIONS_H_

namespace modelport {

// Makes this process, and the program that it becomes, obey the permissions of files as an ordinary owner does, even if
// it is root's: it gives up every capability. For a child process.
void ObeyPermissions();

}  // namespace modelport

#endif  // MODELPORT_TESTS_OBEY_PERMISSIONS_H_
