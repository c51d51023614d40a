/**
 * A script with 25 bugs, each in its own function. The line that fails ends in `--@` and the bug's name. The
 * function that recurses has only one line, because its stack can overflow on any of its lines.
 */

/** The argument of each bug. No part of it may appear in a report. */
export const ARGUMENT = 'an-argument-that-nobody-sends'
export const PATHS = ['/home/ada/gardens/rake.txt', 'C:\\Users\\ada\\rake.txt'] as const

/** The script triggers the bug named in its key's note. */
export const BUGGY = `local bugs = {}
local function helper(item, text)
  error(text or 'no helper') --@tail_call
end
function bugs.nil_call(item)
  return missing_function(item) --@nil_call
end
function bugs.nil_method(item)
  local shop = {}
  return shop:open(item) --@nil_method
end
function bugs.nil_index(item)
  local shop
  return shop.door --@nil_index
end
function bugs.nil_field(item)
  local shop = { item = item }
  return shop.door.handle --@nil_field
end
function bugs.nil_assignment(item)
  local shop
  shop.door = item --@nil_assignment
end
function bugs.nil_key(item)
  local shop = {}
  shop[shop.door] = item --@nil_key
end
function bugs.arithmetic(item)
  local amount
  return amount + #item --@arithmetic
end
function bugs.concatenation(item)
  local name
  return item .. name --@concatenation
end
function bugs.comparison(item)
  local amount
  return #item < amount --@comparison
end
function bugs.length(item)
  local list
  return #list --@length
end
function bugs.loop(item)
  local last
  for i = 1, last do print(i, item) end --@loop
end
function bugs.library(item)
  local text = string.rep() --@library
  return text .. item
end
function bugs.message(item)
  error('no rake') --@message
end
function bugs.message_alone(item)
  error('no spade', 0) --@message_alone
end
function bugs.message_above(item)
  error('no hoe', 2) --@message_above
end
function bugs.error_table(item)
  error({ item = item }) --@error_table
end
function bugs.assertion(item)
  assert(item == nil, 'no seeds') --@assertion
end
function bugs.assertion_alone(item)
  assert(false) --@assertion_alone
end
function bugs.tail_call(item)
  return helper(item)
end
function bugs.recursion(item) return #item + bugs.recursion(item) end --@recursion
local flower = {}
function flower.__index(self, name)
  error('no such flower') --@metamethod
end
function bugs.metamethod(item)
  local rose = setmetatable({}, flower).rose
  return rose
end
function bugs.raised_again(item)
  local ok, problem = pcall(helper, item)
  error(problem, 0) --@raised_again
end
function bugs.coroutine(item)
  local thread = coroutine.create(function() helper(item) end)
  local ok, problem = coroutine.resume(thread)
  error(problem, 0) --@coroutine
end
function bugs.path(item)
  error('cannot open ${PATHS[0]} or ${PATHS[1].replaceAll('\\', '\\\\')}: no such file') --@path
end
function bugs.key(item)
  error('not a key: ' .. script_key .. ' of ' .. ward.note) --@key
end
local bug = bugs[string.match(ward.note, '%S+')]
local result = bug('${ARGUMENT}')
print(result)`

/** The bugs that fail in a function other than their own. The first parameter of a method is `self`. */
const ELSEWHERE: Readonly<Record<string, string>> = { tail_call: 'helper', metamethod: 'flower:__index' }

export type Bug = { readonly name: string; readonly line: number; readonly function: string }

export const BUGS: readonly Bug[] = BUGGY.split('\n').flatMap((text, i) => {
  const name = /--@(\w+)$/.exec(text)?.[1]
  return name === undefined ? [] : [{ name, line: i + 1, function: ELSEWHERE[name] ?? `bugs.${name}` }]
})
