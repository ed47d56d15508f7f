-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
--
-- modulefile.lua FILE: runs a modulefile with the functions of Lmod that it may call, and prints what it does to paths.
local file = arg[1]
local function path(action)
  return function(name, value) print(action .. " " .. name .. " " .. value) end
end
local nothing = function() end
local lmod = {
  myFileName = function() return file end,
  pathJoin = function(...) return (table.concat({...}, "/"):gsub("/+", "/")) end,
  prepend_path = path("prepend"), append_path = path("append"), setenv = path("set"),
  help = nothing, whatis = nothing, conflict = nothing,
}
-- Any other name is a mistake.
local stream = assert(io.open(file))
local text = stream:read("a")
assert(load(text, file, "t", lmod))()
