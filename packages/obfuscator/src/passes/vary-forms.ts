// Gives statements of our own another form in every build where that costs nothing at run time: which arm of an `if` comes
// first, which locals are declared together and in what order. The values that they work with are `vary.ts`'s.

import type { Random } from '../random.ts'
import type {
  Binary,
  Binding,
  Block,
  Expression,
  If,
  Local,
  LocalFunction,
  Node,
  Statement,
  SymbolId,
} from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { nodesAt } from './build.ts'

/** A declaration of more than this is no longer joined with others. */
const MOST_JOINED = 6

/** What holds where a comparison does not. Our own code compares no number with what is none. */
const OPPOSITE: Readonly<Record<string, Binary['operator']>> = {
  '==': '~=',
  '~=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}

/** The same statements; they may be any of our own. */
export function varyForms(statements: readonly Statement[], random: Random): readonly Statement[] {
  const varied = statements.map((each) =>
    rewrite(each, {
      If: (node) => variedIf(node, random),
      LocalFunction: (node) => variedFunction(node, random),
      Block: (node): Block => ({ ...node, statements: variedList(node.statements, random) }),
    }),
  )
  return variedList(varied, random)
}

// --- branches ---------------------------------------------------------------------------------------------------------

function variedIf(node: If, random: Random): Statement | undefined {
  const [clause] = node.clauses
  if (!clause || node.clauses.length > 1 || random.chance(0.5)) return undefined
  const { condition, body } = clause
  const make = nodesAt(node.at)
  if (node.otherwise) return make.if(opposite(condition), node.otherwise.statements, body.statements)
  if (condition.kind === 'Logical' && condition.operator === 'and')
    return make.if(condition.left, [make.if(condition.right, body.statements)])
  const inner = onlyIf(body)
  return inner && make.if(make.logical(condition, 'and', inner.condition), inner.body.statements)
}

function opposite(condition: Expression): Expression {
  const make = nodesAt(condition.at)
  if (condition.kind === 'Unary' && condition.operator === 'not') return condition.operand
  const turned = condition.kind === 'Binary' ? OPPOSITE[condition.operator] : undefined
  return turned ? { ...(condition as Binary), operator: turned } : make.not(condition)
}

/** The clause of the only statement, where that is a plain `if`. An `or` would want parentheses that say where it was. */
function onlyIf({ statements }: Block): If['clauses'][number] | undefined {
  const [only, more] = statements
  const isPlain = !more && only?.kind === 'If' && only.clauses.length === 1 && !only.otherwise
  return isPlain ? only.clauses[0] : undefined
}

// --- declarations -----------------------------------------------------------------------------------------------------

/** A function that does not call itself may be declared like any other value. */
function variedFunction({ at, binding, func }: LocalFunction, random: Random): Local | undefined {
  if (random.chance(0.5) || mentions(func, new Set([binding.symbol]))) return undefined
  return { kind: 'Local', at, bindings: [binding], values: [func] }
}

function variedList(statements: readonly Statement[], random: Random): readonly Statement[] {
  const list: Statement[] = []
  for (const each of statements.flatMap((one) => (one.kind === 'Local' ? parted(one, random) : [one]))) {
    const last = list.at(-1)
    const joined =
      last?.kind === 'Local' && each.kind === 'Local' && random.chance(0.5) ? join(last, each) : null
    if (joined) list[list.length - 1] = joined
    else list.push(each)
  }
  return list
}

/** In another order, and in one declaration or in two. */
function parted(node: Local, random: Random): readonly Local[] {
  const shuffled = inOtherOrder(node, random)
  const { at, bindings, values } = shuffled
  if (bindings.length < 2 || bindings.length < values.length || random.chance(0.5)) return [shuffled]
  // Behind the last value, since a call there gives the rest too.
  const isEven = bindings.length === values.length
  const last = isEven ? bindings.length - 1 : values.length - 1
  if (last < 1) return [shuffled]
  const place = random.int(1, last)
  return [
    { kind: 'Local', at, bindings: bindings.slice(0, place), values: values.slice(0, place) },
    { kind: 'Local', at, bindings: bindings.slice(place), values: values.slice(place) },
  ]
}

function inOtherOrder(node: Local, random: Random): Local {
  const { bindings, values } = node
  if (bindings.length < 2 || bindings.length < values.length || values.some(acts)) return node
  const pairs = random.shuffle(values.map((value, i) => ({ value, binding: bindings[i] as Binding })))
  const without = random.shuffle(bindings.slice(values.length))
  return {
    ...node,
    bindings: [...pairs.map(({ binding }) => binding), ...without],
    values: pairs.map(({ value }) => value),
  }
}

function join(first: Local, second: Local): Local | null {
  const bindings = [...first.bindings, ...second.bindings]
  const isOneEach = [first, second].every((each) => each.bindings.length === each.values.length)
  if (!isOneEach || bindings.length > MOST_JOINED) return null
  const declared = new Set(first.bindings.map(({ symbol }) => symbol))
  if (second.values.some((value) => mentions(value, declared))) return null
  return { ...first, bindings, values: [...first.values, ...second.values] }
}

function mentions(node: Node, symbols: ReadonlySet<SymbolId>): boolean {
  let isFound = false
  rewrite(node, {
    LocalName: ({ symbol }) => {
      if (symbols.has(symbol)) isFound = true
    },
  })
  return isFound
}

/** Whether something happens when it is evaluated. */
function acts(node: Expression): boolean {
  let isFound = false
  const note = (): undefined => {
    isFound = true
  }
  rewrite(node, { FunctionExpression: { enter: () => false }, Call: note, MethodCall: note, Vararg: note })
  return isFound
}
