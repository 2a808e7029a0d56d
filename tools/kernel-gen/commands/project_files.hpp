#pragma once
#include <string>
#include <vector>

namespace kernelgen::tool {

/// A file of a new project, from project/. "@NAME@" in its text stands for the project's name.
struct ProjectFile {
  std::string path;
  std::string text;
};
const std::vector<ProjectFile>& project_files();

}  // namespace kernelgen::tool
