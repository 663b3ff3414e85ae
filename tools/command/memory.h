#ifndef MODELPORT_TOOLS_COMMAND_MEMORY_H_
#define MODELPORT_TOOLS_COMMAND_MEMORY_H_

namespace modelport {

// Memory blocks of a megabyte or more go back to the system when they are freed, as in every tool from its start. By
// default glibc keeps them once the first is freed, and small blocks inside keep them from being used again.
void GiveBackFreedMemory();

// The process keeps what is freed from now on, but for blocks of a quarter of a gigabyte or more: for a tool that calls
// a model again and again, whose calls take and free the same blocks. Given back in between, they cost new pages each
// time: up to half of the time of a call. What is kept is about a gigabyte at most.
void KeepFreedMemory();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_MEMORY_H_
