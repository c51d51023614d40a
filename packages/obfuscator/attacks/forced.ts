/**
 * T6: instruments the output so that the attacker controls every branch and sees every value. Runs it
 * repeatedly, forcing branches that the program would not take. Comparisons of dispatch loops are not forced,
 * because forcing them reveals nothing. Statements stay on their lines, because a script may check its line
 * numbers.
 */

import type { Block, Bytes, Chunk, Expression, Logical, Node, Statement } from '../src/syntax/ast.ts'
import { rewrite } from '../src/syntax/walk.ts'
import { type Attack, gained, type Host } from './attack.ts'
import { isChoiceByNumber, stateOf } from './follow.ts'
import { runHost } from './host.ts'
import { PRELUDE, reported, within } from './recorded.ts'
import { callGlobal, number, readTree, writeTree } from './tree.ts'

/**
 * @param seconds the time limit. The attack recovers more with more time, and stops early if there is nothing
 * new to try.
 */
export function forcedBranches(seconds: number): Attack {
  return {
    id: 'T6',
    name: 'forced branches: cold strings',
    async run({ secrets }, { code }, host) {
      return gained(within(await force(code, seconds, host), secrets.cold), secrets.cold)
    },
  }
}

async function force(code: Bytes, seconds: number, host: Host): Promise<Bytes[]> {
  const script = `local seconds = ${seconds}\n${PRELUDE}${FORCE}`
  const written = writeTree(instrument(readTree(code)), code)
  const ran = await runHost(host, script, [written], seconds + 30)
  return reported(ran.output)
}

function instrument(chunk: Chunk): Chunk {
  const targets = new Set<Node>()
  let count = 0
  const dispatches = dispatchesOf(chunk)
  const force = (condition: Expression): Expression => {
    count += 1
    return callGlobal('__force', condition.at, number(count, condition.at), condition)
  }
  const forced = (condition: Expression, original: Expression) =>
    dispatches.has(original) ? condition : force(condition)
  const see = (node: Expression) => callGlobal('__see', node.at, node)
  return rewrite(chunk, {
    While: (node, original) => ({ ...node, condition: forced(node.condition, original.condition) }),
    Repeat: (node, original) => ({ ...node, condition: forced(node.condition, original.condition) }),
    IfClause: (node, original) => ({ ...node, condition: forced(node.condition, original.condition) }),
    Logical: (node, original) =>
      see(isCached(original) ? node : { ...node, left: forced(node.left, original.left) }),
    Assign: {
      enter(node) {
        for (const each of node.targets) targets.add(each)
      },
    },
    CompoundAssign: { enter: (node) => void targets.add(node.target) },
    Index: (node, original) => (targets.has(original) ? undefined : see(node)),
    Binary: (node) => (node.operator === '..' ? see(node) : undefined),
    StringLiteral: see,
    Call: see,
    MethodCall: see,
  })
}

/**
 * Matches a table lookup that creates missing entries. Such a branch is part of the protection, not of the
 * author's code.
 */
function isCached({ operator, left, right }: Logical): boolean {
  return operator === 'or' && left.kind === 'Index' && right.kind === 'Call'
}

/**
 * Returns the comparisons that dispatch loops use to select the next block, and Boolean literals such as the
 * conditions of endless loops.
 */
function dispatchesOf(chunk: Chunk): ReadonlySet<Node> {
  const found = new Set<Node>()
  const note = (statement: Statement): void => {
    if (statement.kind !== 'If' || !isChoiceByNumber(statement)) return
    for (const { condition, body } of statement.clauses) {
      found.add(condition)
      if (body.statements.length === 1) note(body.statements[0] as Statement)
    }
    const [only, more] = statement.otherwise?.statements ?? []
    if (only && !more) note(only)
  }
  const enter = (loop: { readonly body: Block }): void => {
    const last = loop.body.statements[loop.body.statements.length - 1]
    if (last && stateOf(loop.body).size > 0) note(last)
  }
  rewrite(chunk, {
    While: { enter },
    Repeat: { enter },
    NumericFor: { enter },
    GenericFor: { enter },
    BooleanLiteral: (node) => void found.add(node),
  })
  return found
}

const FORCE = `
local unpack, select, pcall, clock, debug, setmetatable = unpack, select, pcall, os.clock, debug, setmetatable
local setfenv, error, next = setfenv, error, next
local chunk = loadfile(arg[1])
local plan, met, times
function __see(...)
  for i = 1, select('#', ...) do see((select(i, ...))) end
  return ...
end
function __force(place, value)
  met[place] = true
  local wanted = plan[place]
  if wanted == nil then return value end
  times[place] = (times[place] or 0) + 1
  if wanted == 'once' and times[place] > 1 then return value end
  if times[place] > 200 then error('stop', 0) end
  if wanted == 'once' then return not value end
  return wanted == 'yes'
end
local function run(with)
  plan, met, times = with, {}, {}
  local own = setmetatable({ print = function(...) __see(...) end }, { __index = _G })
  own._G = own
  debug.sethook(function() error('stop', 0) end, '', 3000000)
  pcall(setfenv(chunk, own))
  debug.sethook()
  return met
end
local tried, queue = {}, {}
local function extend(with, places)
  for place in pairs(places) do
    for _, how in pairs({ 'yes', 'no', 'once' }) do
      if not tried[place .. how] then
        tried[place .. how] = true
        local longer = { [place] = how }
        for k, v in pairs(with) do longer[k] = v end
        queue[#queue + 1] = longer
      end
    end
  end
end
if chunk then
  extend({}, run({}))
  local at, start = 1, clock()
  while queue[at] and clock() - start < seconds do
    extend(queue[at], run(queue[at]))
    at = at + 1
  end
end
report()
`
