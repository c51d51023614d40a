/**
 * T18: replaces the library functions of T13 with native functions that wrap the attacker's functions, like
 * those that executors create with `newcclosure`. Every check reports them as native. This attack creates
 * them with `coroutine.wrap`.
 */

import type { Attack } from './attack.ts'
import { replaceAll } from './replaced.ts'

export const disguised: Attack = {
  id: 'T18',
  name: 'ten library functions replaced by native ones',
  run: ({ source }, { code }, host) => replaceAll(source, code, RUN, host),
}

// Each call creates a new coroutine, because a coroutine can't be entered again after an error or while it is
// running.
const RUN = `
local wrap, yield, type, environment = coroutine.wrap, coroutine.yield, type, getfenv
local chunk = assert(loadfile(arg[1]))
if target then
  local library, name = target:match('^(%a+)%.(%a+)$')
  local holder = library and _G[library] or _G
  name = name or target
  local real = holder[name]
  if name == 'getfenv' then
    real = function(level) return type(level) == 'function' and environment(level) or _G end
  end
  local function hook()
    local function again(...)
      holder[name] = hook()
      return again(yield(real(...)))
    end
    return wrap(again)
  end
  holder[name] = hook()
end
chunk('first')
`
