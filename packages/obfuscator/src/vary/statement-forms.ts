/**
 * Rewrites statements in a different form in every build, where this costs no run time and does not change
 * behavior. The variations are the order of the branches of an `if`, code that moves to an `else`, and the
 * grouping and order of locals in declarations. `vary-generated.ts` varies the values.
 */

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
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

/** A declaration with more bindings is not merged with others. */
const MAX_JOINED = 6

/**
 * Negated comparisons. Negating `<` and similar operators is valid only for numbers, and generated code
 * compares only numbers.
 */
const OPPOSITE: Readonly<Record<string, Binary['operator']>> = {
  ...{ '==': '~=', '~=': '==' },
  ...{ '<': '>=', '>=': '<', '>': '<=', '<=': '>' },
}

/** Varies the form of generated statements. */
export function varyGeneratedForms(statements: readonly Statement[], random: Random): readonly Statement[] {
  const varied = statements.map((each) => rewrite(each, formVisitors(random)))
  return variedList(varied, random)
}

/** Creates visitors that rewrite about half of the statements in a different form. */
function formVisitors(random: Random): Visitors {
  const repeated = new Set<Block>()
  const open = new Set<SymbolId>()
  const recursive = new Set<SymbolId>()
  return {
    If: (node) => variedIf(node, random),
    LocalFunction: {
      enter: ({ binding }) => void open.add(binding.symbol),
      leave(node) {
        const { symbol } = node.binding
        open.delete(symbol)
        // Older hosts support attributes only on function declarations.
        const stays = recursive.has(symbol) || node.func.attributes.length > 0
        return stays || random.chance(0.5) ? undefined : asValue(node)
      },
    },
    LocalName({ symbol }) {
      if (open.has(symbol)) recursive.add(symbol)
    },
    Repeat: { enter: (node) => void repeated.add(node.body) },
    Block(node, original): Block | undefined {
      // The condition of a `repeat` can use the locals of its body, so none of them may move to an `else`.
      const guarded = repeated.has(original) ? node.statements : withElse(node.statements, random)
      const statements = variedList(guarded, random)
      return statements === node.statements ? undefined : { ...node, statements }
    },
  }
}

// --- branches

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

/**
 * Picks an `if` whose body returns, and moves the statements after the `if` to its `else`. Does this at most
 * once per block, to limit nesting.
 */
function withElse(statements: readonly Statement[], random: Random): readonly Statement[] {
  const places: number[] = []
  for (let i = 0; i < statements.length - 1; i++) if (isGuard(statements[i] as Statement)) places.push(i)
  if (places.length === 0 || random.chance(0.5)) return statements
  const place = random.pick(places)
  const guard = statements[place] as If
  const { condition, body } = guard.clauses[0] as If['clauses'][number]
  const made = nodesAt(guard.at).if(condition, body.statements, statements.slice(place + 1))
  return [...statements.slice(0, place), made]
}

function isGuard(node: Statement): boolean {
  if (node.kind !== 'If' || node.clauses.length > 1 || node.otherwise) return false
  return node.clauses[0]?.body.statements.at(-1)?.kind === 'Return'
}

/**
 * The clause of a plain `if` that is the only statement in a body. An `or` would need parentheses, which
 * would reveal the transformation.
 */
function onlyIf({ statements }: Block): If['clauses'][number] | undefined {
  const [only, more] = statements
  const isPlain = !more && only?.kind === 'If' && only.clauses.length === 1 && !only.otherwise
  return isPlain ? only.clauses[0] : undefined
}

// --- declarations

/** A function that does not refer to itself can be declared like any other value. */
function asValue({ at, binding, func }: LocalFunction): Local {
  return { kind: 'Local', at, bindings: [binding], values: [func] }
}

function variedList(statements: readonly Statement[], random: Random): readonly Statement[] {
  if (!statements.some((each) => each.kind === 'Local')) return statements
  const parts = (one: Statement): readonly Statement[] => (one.kind === 'Local' ? parted(one, random) : [one])
  const list: Statement[] = []
  for (const each of statements.flatMap(parts)) {
    const last = list.at(-1)
    const joined =
      last?.kind === 'Local' && each.kind === 'Local' && random.chance(0.5) ? join(last, each) : null
    if (joined) list[list.length - 1] = joined
    else list.push(each)
  }
  return list
}

/** Reorders a declaration and may split it in two. */
function parted(node: Local, random: Random): readonly Local[] {
  const shuffled = inOtherOrder(node, random)
  const { at, bindings, values } = shuffled
  if (bindings.length < 2 || bindings.length < values.length || random.chance(0.5)) return [shuffled]
  // The split must be after the last value, because a call there supplies all remaining values.
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
  if (!isOneEach || bindings.length > MAX_JOINED) return null
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

/** Whether evaluating the expression has side effects. */
function acts(node: Expression): boolean {
  let isFound = false
  const note = (): undefined => {
    isFound = true
  }
  rewrite(node, { FunctionExpression: { enter: () => false }, Call: note, MethodCall: note, Vararg: note })
  return isFound
}
