//===- Ownership.h - Who may change a file ----------------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are machine code: whoever may write to their files, or rename a
// folder above them, runs code as the user who loads them. Here is who that
// might be. ember/ownership.py is its counterpart in Python.
//
// For C++17 on POSIX systems, without exceptions and without a library.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_OWNERSHIP_H
#define EMBER_RUNTIME_OWNERSHIP_H

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ember {

/// Whether an environment variable is set to anything but 0, false, no or off.
inline bool isSwitchedOn(const char *variable) {
  const char *text = std::getenv(variable);
  std::string value = text ? text : "";
  for (char &letter : value)
    if (letter >= 'A' && letter <= 'Z')
      letter = static_cast<char>(letter - 'A' + 'a');
  for (const char *off : {"", "0", "false", "no", "off"})
    if (value == off)
      return false;
  return true;
}

/// Walks a path from the root to its end, symbolic links included.
///
/// What others cannot change they cannot change later either: each step is
/// looked up in a folder that has passed.
class OwnershipWalk {
public:
  explicit OwnershipWalk(uid_t user) : user(user) {}

  /// What whyNotOurs says.
  std::string follow(const std::string &path) {
    std::string start = path;
    if (start.empty() || start.front() != '/') {
      std::vector<char> folder(1 << 16);
      if (!getcwd(folder.data(), folder.size()))
        return std::strerror(errno);
      start = std::string(folder.data()) + "/" + path;
    }
    // In a container, what belongs to nobody there may rule all of it.
    struct stat root;
    if (lstat("/", &root) != 0)
      return std::string("'/': ") + std::strerror(errno);
    machineOwner = root.st_uid;
    push(start);
    std::string reason = check("/", root, pending.empty());
    while (reason.empty() && !pending.empty())
      reason = step();
    return reason;
  }

private:
  /// The steps of a path are next, the first one on top.
  void push(const std::string &path) {
    std::vector<std::string> steps;
    size_t start = 0;
    while (start <= path.size()) {
      size_t end = path.find('/', start);
      if (end == std::string::npos)
        end = path.size();
      std::string name = path.substr(start, end - start);
      if (!name.empty() && name != ".")
        steps.push_back(name);
      start = end + 1;
    }
    pending.insert(pending.end(), steps.rbegin(), steps.rend());
  }

  std::string step() {
    std::string name = pending.back();
    pending.pop_back();
    if (name == "..") {
      // What is here has no links in it any more.
      here.resize(here.empty() ? 0 : here.rfind('/'));
      return "";
    }
    std::string next = here + "/" + name;
    struct stat status;
    if (lstat(next.c_str(), &status) != 0)
      return "'" + next + "': " + std::strerror(errno);
    if (!S_ISLNK(status.st_mode)) {
      here = next;
      return check(next, status, pending.empty());
    }
    // Its own permissions say nothing.
    if (std::string reason = checkOwner(next, status); !reason.empty())
      return reason;
    std::vector<char> target(1 << 16);
    ssize_t size = readlink(next.c_str(), target.data(), target.size());
    if (size < 0 || ++links > 40)
      return "'" + next + "': " + std::strerror(size < 0 ? errno : ELOOP);
    if (size > 0 && target.front() == '/')
      here.clear();
    push(std::string(target.data(), static_cast<size_t>(size)));
    return "";
  }

  std::string checkOwner(const std::string &path,
                         const struct stat &status) const {
    if (status.st_uid == user || status.st_uid == 0 ||
        status.st_uid == machineOwner)
      return "";
    return "'" + path + "' belongs to user " + std::to_string(status.st_uid);
  }

  std::string check(const std::string &path, const struct stat &status,
                    bool isLast) const {
    if (std::string reason = checkOwner(path, status); !reason.empty())
      return reason;
    bool byOthers = status.st_mode & S_IWOTH;
    // An access control list that lets anybody write shows here, too.
    bool byGroup = (status.st_mode & S_IWGRP) && !isOwnGroup(status.st_gid);
    // There each removes and renames only what is their own.
    bool isSticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX);
    if ((!byOthers && !byGroup) || (isSticky && !isLast))
      return "";
    return std::string(byOthers ? "anybody" : "its group") + " may write to '" +
           path + "'";
  }

  /// Whether a group is the user's alone, as many systems give each user one.
  bool isOwnGroup(gid_t group) const {
    const passwd *account = getpwuid(user);
    const struct group *entry = account ? getgrgid(group) : nullptr;
    if (!entry || account->pw_gid != group ||
        std::strcmp(account->pw_name, entry->gr_name) != 0)
      return false;
    for (char **member = entry->gr_mem; *member; ++member)
      if (std::strcmp(*member, account->pw_name) != 0)
        return false;
    return true;
  }

  uid_t user;
  uid_t machineOwner = 0;
  std::string here; // without links; empty is the root
  std::vector<std::string> pending;
  int links = 0;
};

/// Why a user other than this one and root might change the file or folder at
/// `path`, now or later; or why it cannot be looked at. Empty if none can.
inline std::string whyNotOurs(const std::string &path, uid_t user = geteuid()) {
  return OwnershipWalk(user).follow(path);
}

} // namespace ember

#endif // EMBER_RUNTIME_OWNERSHIP_H
