/**
 * Splits every function into basic blocks. The blocks become the arms of a dispatch loop that reads opcodes
 * from the instruction stream. This pass selects the functions, and the modules in `vm/` transform them.
 */

import { IntegrityKey } from '../anti-tamper/integrity-key.ts'
import type { Lease } from '../locks/leased-words.ts'
import { METHOD_ORDERS } from '../lower/method-calls.ts'
import { findOrderPairs, type OrderPairs } from '../order-watermark/pairs.ts'
import type { PassContext } from '../pass-context.ts'
import type { Facts } from '../semantics/facts.ts'
import { MARK_BALANCED, MARK_NATIVE, MARK_STRONG } from '../semantics/function-marks.ts'
import { checkLimits } from '../semantics/limits.ts'
import type {
  Chunk,
  FunctionExpression,
  Node,
  NumberLiteral,
  Offset,
  Statement,
  SymbolId,
} from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/line-map.ts'
import { bind, nodesAt, withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { ConstantPool } from '../vm/constant-pool.ts'
import { deepLoops } from '../vm/deep-loops.ts'
import { emitRegion, type Output } from '../vm/emit.ts'
import { InstructionStream } from '../vm/instruction-stream.ts'
import { lowerStatements } from '../vm/lower-statements.ts'
import { type Measure, measureChunk } from '../vm/measure.ts'
import { leasedPolicy, type Policy, policyFor, STRATEGIES, type Strategy } from '../vm/policy.ts'
import { type ChunkLowering, type FunctionFrame, RegionBuilder } from '../vm/region-builder.ts'
import { type Location, RegisterAllocator, valueNode } from '../vm/register-allocator.ts'
import { lowerInRegions } from '../vm/split-regions.ts'
import { collectVariables, type Owner } from '../vm/variables.ts'
import { FULL_WATERMARK_SLOTS } from '../watermark.ts'
import { definePass, type PassResult, type PipelineState, type SettingValues } from './pass.ts'

export const virtualize = definePass({
  name: 'virtualize',
  summary: 'Splits every function into blocks whose order comes from a number stream.',
  settings: [
    {
      id: 'strategy',
      name: 'Strategy',
      description:
        'strong splits everything; balanced keeps innermost loops and entire expressions and runs about three times as fast.',
      type: 'choice',
      choices: STRATEGIES,
      default: 'strong',
    },
    {
      id: 'hot-loops',
      name: 'Hot loops',
      description:
        'Functions with this many nested loops are not virtualized, as if wrapped in WARD_NO_VIRTUALIZE. Their names, strings and numbers are still hidden.',
      type: 'choice',
      choices: ['never', '2', '3', '4'],
      default: 'never',
    },
  ],
  reads: ['insisted', 'keepsFunctions', 'environment', 'checks', 'served'],
  writes: ['checks', 'isFullyVirtualized', 'slots', 'orders'],
  run(chunk, context, settings, state) {
    if (context.source.isHot) return { chunk }
    // If the host would reject the source, this pass rejects it too, even if its virtualized code could run.
    // The script must also run unprotected.
    const facts = checkLimits(chunk, context.target, context.diagnostics)
    if (!context.diagnostics.isEmpty) return { chunk }
    const made = new ChunkVirtualizer(chunk, context, facts, { settings, state }).chunk(chunk)
    if (context.varied.size > 0) refuseUnvaried(made.chunk, context)
    return made
  },
})

/** Reports WARD_VARY numbers that are not in the stream. They would be the same for all keys. */
function refuseUnvaried(chunk: Chunk, { varied, diagnostics }: PassContext): void {
  rewrite(chunk, {
    NumberLiteral: (node) => {
      if (varied.has(node)) diagnostics.report(node.at, 'varyImpossible')
    },
  })
}

/**
 * Maximum depth of nested virtualized functions. Each level adds nesting to the output, and hosts allow about
 * 190 levels.
 */
const MAX_FUNCTION_DEPTH = 6
const MAX_LOOP_DEPTH = 8

/** Fraction of the prologue's integers that are rewritten as sums. */
const VARIED = 0.9

/** Maximum number of loops whose lines the warning lists. */
const MAX_NAMED_LOOPS = 3

/**
 * Maximum number of locals per function that become registers. The host's remaining registers are needed for
 * loops and temporaries.
 */
const MAX_REGISTERS = 100
const [MIN_KEY, MAX_KEY] = [1000, 130_000]
const MAX_PARAMETERS = 60

/** Maximum number of statement pairs whose order serves as a watermark slot. */
const MAX_PAIRS = FULL_WATERMARK_SLOTS

/** Hosts have about 250 registers. A call with more values than this would leave too few registers. */
const MAX_VALUES = 90

/** Number of upvalues that a virtualized function needs for itself: the stream, its salt and the strings. */
const OWN_UPVALUES = 3

/** The state that this pass reads. */
type Read = Pick<PipelineState, 'insisted' | 'keepsFunctions' | 'environment' | 'checks' | 'served'>

type Written = PassResult<'checks' | 'isFullyVirtualized' | 'slots' | 'orders'>

class ChunkVirtualizer {
  readonly #context: PassContext
  readonly #output: Output
  readonly #shared: ChunkLowering
  readonly #pairs: OrderPairs
  readonly #canVirtualize: (node: Owner) => boolean
  /** Whether the function has room for the stream as an upvalue. */
  readonly #hasUpvalue: (node: Owner) => boolean
  readonly #policyOf: (node: Owner) => Policy
  readonly #isStrong: boolean
  /** Whether a function stays native because its loops are nested too deeply; see the `hot-loops` option. */
  readonly #isHot: (node: Owner) => boolean
  readonly #state: Read
  /** Whether the author marked some functions to stay completely or almost native. */
  #keepsFunctions: boolean
  #depth = 0
  #skipped = 0

  constructor(
    chunk: Chunk,
    context: PassContext,
    facts: Facts,
    { settings, state }: { readonly settings: SettingValues; readonly state: Read },
  ) {
    const { size } = context.source
    this.#state = state
    this.#keepsFunctions = context.source.hasNativeFunctions || state.keepsFunctions
    const strategy = settings.strategy as Strategy
    this.#context = context
    this.#isStrong = strategy === 'strong'
    const policies = { balanced: policyFor('balanced', size), strong: policyFor('strong', size) }
    this.#policyOf = (node) => policies[strategyOf(node) ?? strategy]
    const words = new InstructionStream(context, state.checks !== null)
    const held = new Map<Node, Location>()
    const hasForeign = namesForeign(chunk)
    const variables = collectVariables(chunk)
    const { environment } = state
    const wanted = Math.min(context.slotsWanted, MAX_PAIRS)
    this.#pairs = findOrderPairs(chunk, { variables, environment, hasForeign, wanted })
    const options = { registers: held, insisted: state.insisted, hasForeign }
    this.#output = {
      context: context,
      words,
      marked: this.#pairs.marked,
      constants: new ConstantPool(context, options),
    }
    const capacity = context.capacityOf(chunk)
    this.#hasUpvalue = (node) => capacity.hasUpvalues(node, 1)
    const measureOf = measureChunk(chunk, variables)
    const jumping = functionsThatJump(chunk)
    const depth = settings['hot-loops'] === 'never' ? Number.POSITIVE_INFINITY : Number(settings['hot-loops'])
    this.#isHot = (node) => measureOf(node.body).repeatDepth >= depth
    this.#canVirtualize = (node) =>
      !this.#isHot(node) &&
      !jumping.has(node) &&
      this.#depth <= MAX_FUNCTION_DEPTH &&
      measureOf(node.body).loopDepth <= MAX_LOOP_DEPTH &&
      !node.body.statements.some((each) => isUnwieldy(measureOf(each))) &&
      (node.kind === 'Chunk' || (node.parameters.length <= MAX_PARAMETERS && isOpen(node))) &&
      !this.#isTiny(node, measureOf) &&
      capacity.hasUpvalues(node, OWN_UPVALUES) &&
      (facts.of.get(node)?.mostValues ?? 0) <= MAX_VALUES
    this.#shared = {
      symbols: context.symbols,
      random: context.random,
      variables,
      measureOf,
      places: new Map(),
      cachedStrings: held,
      leaseOf: (node) => state.served?.leaseOf(node) ?? null,
      upvaluesOf: (node) => facts.of.get(node)?.upvalues ?? [],
      protect: (node) => this.#function(node),
      order: METHOD_ORDERS[context.target],
      pairs: this.#pairs.pairs,
      countersWrap: context.target === 'lua54',
      lower: lowerStatements,
      emit: (region, at) => emitRegion(region, this.#output, at),
    }
  }

  chunk(chunk: Chunk): Written {
    const { report, capacityOf } = this.#context
    const isTaken = this.#canVirtualize(chunk)
    if (this.#isHot(chunk)) this.#keepsFunctions = true
    if (!isTaken && !capacityOf(chunk).hasLocals(chunk, 2)) {
      report.warnUnprotected('nothing is virtualized: the main chunk has no room for another local variable')
      return { chunk }
    }
    const { words } = this.#output
    const made = isTaken
      ? { ...chunk, body: { ...chunk.body, statements: this.#statements(chunk) } }
      : { ...chunk, body: rewrite(chunk.body, this.#nativeIn(chunk)) }
    if (this.#skipped > 0) {
      report.warnUnprotected(
        `${this.#skipped === 1 ? '1 function is' : `${this.#skipped} functions are`} not virtualized, because of 'goto', '<close>', deep nesting, or more locals or upvalues than the target allows`,
      )
    }
    if (this.#isStrong) this.#warnOfLoops(chunk)
    const isFullyVirtualized = isTaken && this.#skipped === 0 && !this.#keepsFunctions && this.#isStrong
    const opened = withPrologue(made, this.#prologue(chunk.at))
    const whole = this.#state.served?.seal(opened) ?? opened
    const orders = { globals: this.#pairs.globals, marks: words.slots?.marks ?? [] }
    return { chunk: whole, state: { checks: null, isFullyVirtualized, slots: words.slots, orders } }
  }

  /** Declares the stream and the strings. If there are checks, both are bound to the integrity key. */
  #prologue(at: Offset): readonly Statement[] {
    const { checks, environment } = this.#state
    if (checks !== null) {
      const options = {
        share: VARIED,
        usesEnvironment: environment !== null && this.#context.target !== 'lua54',
      }
      return this.#checkedPrologue(new IntegrityKey(checks, this.#context, options))
    }
    const { words, constants } = this.#output
    const strings = constants.isEmpty ? [] : constants.prologue(at)
    return [...words.prologue(this.#context.random, at), ...strings]
  }

  #warnOfLoops(chunk: Chunk): void {
    const { report, diagnostics } = this.#context
    const slow = deepLoops(chunk).filter(
      ({ owner }) =>
        !this.#isHot(owner) && (owner.kind === 'Chunk' || (isOpen(owner) && strategyOf(owner) === null)),
    )
    if (slow.length === 0) return
    const places = slow.slice(0, MAX_NAMED_LOOPS).map(({ at }) => diagnostics.placeOf(at))
    report.warn(
      slow.length === 1
        ? `the nested loop at ${places[0]} runs virtualized: wrap its function in WARD_JIT or WARD_NO_VIRTUALIZE if it must be fast`
        : `${slow.length} nested loops run virtualized; the slowest are probably those at ${places.join(', ')}: wrap their functions in WARD_JIT or WARD_NO_VIRTUALIZE if they must be fast`,
    )
  }

  /** The sections are computed in the order of the checksums, which is not their order in the output. */
  #checkedPrologue(integrity: IntegrityKey): readonly Statement[] {
    const { words, constants } = this.#output
    const make = nodesAt(NOWHERE)
    const opening = integrity.opening()
    const stream = words.checkedPrologue(this.#context.random, integrity)
    const after = integrity.afterStream(stream.sum)
    const strings = constants.isEmpty ? [] : constants.checkedPrologue(integrity, after.mix)
    const closing = integrity.closing(after, {
      stream: words.symbol,
      count: words.count,
      lowest: stream.lowest,
    })
    const own = [words.symbol, words.salt.symbol]
    const names = constants.isEmpty ? own : [...own, constants.symbol]
    return [
      make.local(names),
      make.do([...opening, ...stream.statements, ...strings, ...integrity.ending(), closing]),
    ]
  }

  /**
   * Whether the function has no loops and is so short that flattening it would hide little but cost a lot.
   */
  #isTiny(node: Owner, measureOf: ChunkLowering['measureOf']): boolean {
    const { weight, loops } = measureOf(node.body)
    return node.kind !== 'Chunk' && loops === 0 && weight < this.#policyOf(node).tiny
  }

  #function(node: FunctionExpression): FunctionExpression {
    this.#depth += 1
    const made = this.#canVirtualize(node) ? this.#virtualized(node) : this.#keptNative(node)
    this.#depth -= 1
    return made
  }

  #virtualized(node: FunctionExpression): FunctionExpression {
    this.#context.report.counts.virtualized += 1
    return { ...node, body: nodesAt(node.at).block(this.#statements(node)) }
  }

  #statements(node: Owner): readonly Statement[] {
    const taken = node.kind === 'Chunk' ? 0 : node.parameters.length
    const registers = new RegisterAllocator(this.#context.symbols, MAX_REGISTERS - taken)
    const lease = leaseAtStart(node, this.#shared)
    const policy = lease ? leasedPolicy(this.#policyOf(node)) : this.#policyOf(node)
    const { symbols, random } = this.#context
    const key = { symbol: symbols.fresh(), value: random.int(MIN_KEY, MAX_KEY), isUsed: false }
    const words = lease?.words ?? null
    const stream = lease || this.#readsOften(node) ? symbols.fresh() : this.#output.words.symbol
    const frame: FunctionFrame = {
      owner: node,
      registers,
      stream,
      lease: words,
      key,
      spent: { count: 0 },
      policy,
    }
    const code = lowerInRegions(new RegionBuilder(this.#shared, frame), node.body.statements, node.at)
    return [...this.#opening(frame, lease, node.at), ...declarations(registers, node.at), ...code]
  }

  /**
   * Whether a local for the stream makes the function faster. In a function without loops, the local would
   * only use an extra stack slot in every recursive call.
   */
  #readsOften(node: Owner): boolean {
    const { measureOf, leaseOf } = this.#shared
    return node.kind !== 'Chunk' && measureOf(node.body).loops > 0 && hasOpenLoop(node, leaseOf)
  }

  /** Declares the locals that the function uses to read its instruction stream. Empty if it needs none. */
  #opening({ owner, stream, key }: FunctionFrame, lease: Lease | null, at: Offset): readonly Statement[] {
    const make = nodesAt(at)
    const { words } = this.#output
    const [leased] = lease?.node.values ?? []
    const source = leased ? rewrite(leased, this.#nativeIn(owner)) : make.use(words.symbol)
    const own = [
      ...(stream === words.symbol ? [] : [{ symbol: stream, value: source }]),
      ...(key.isUsed ? [{ symbol: key.symbol, value: words.salted(key.value, at) }] : []),
    ]
    if (own.length === 0) return []
    return [
      make.local(
        own.map(({ symbol }) => symbol),
        own.map(({ value }) => value),
      ),
    ]
  }

  /** Leaves a function native, but replaces those variables that were moved to registers. */
  #keptNative(node: FunctionExpression): FunctionExpression {
    if (this.#isHot(node)) this.#keepsFunctions = true
    else if (!isAskedFor(node) && !this.#isTiny(node, this.#shared.measureOf)) this.#skipped += 1
    return { ...node, body: rewrite(node.body, this.#nativeIn(node)) }
  }

  #nativeIn(owner: Owner) {
    const { varied } = this.#context
    return {
      NumberLiteral: (node: NumberLiteral) =>
        varied.has(node) && this.#hasUpvalue(owner) ? this.#output.words.readVaried(node) : undefined,
      LocalName: ({ symbol, at }: { symbol: SymbolId; at: Offset }) => {
        const place = this.#shared.places.get(symbol)
        return place && valueNode(place, at)
      },
      FunctionExpression: { enter: (node: FunctionExpression) => this.#function(node) },
    }
  }
}

/**
 * Whether the statements stay native because they are too long and have more locals than there are free
 * registers.
 */
function isUnwieldy({ weight, locals }: Measure): boolean {
  return weight > 2500 && locals > 60
}

/**
 * Returns the declaration of the locked stream at the start of a function inside a locked block; null if
 * there is none.
 */
function leaseAtStart(node: Owner, { leaseOf }: ChunkLowering): Lease | null {
  const [first] = node.body.statements
  return first && node.kind !== 'Chunk' ? leaseOf(first) : null
}

/**
 * Whether the function has a loop outside its locked blocks. Loops inside don't count, because the output
 * must not reveal whether a locked block contains a loop.
 */
function hasOpenLoop({ body }: Owner, leaseOf: ChunkLowering['leaseOf']): boolean {
  let isFound = false
  const note = (): void => {
    isFound = true
  }
  rewrite(body, {
    FunctionExpression: { enter: () => false },
    Block: { enter: ({ statements }) => (statements.some(leaseOf) ? false : undefined) },
    While: { enter: note },
    Repeat: { enter: note },
    NumericFor: { enter: note },
    GenericFor: { enter: note },
  })
  return isFound
}

function declarations(registers: RegisterAllocator, at: Offset): readonly Statement[] {
  const make = nodesAt(at)
  const list: Statement[] = []
  const { natives, table } = registers
  if (natives.length > 0) {
    list.push({ kind: 'Local', at, bindings: natives.map((symbol) => bind(symbol, at)), values: [] })
  }
  if (table !== null) list.push(make.local([table], [make.table([])]))
  return list
}

/**
 * Excludes `@native` functions, because Luau compiles them to machine code, and a dispatch loop would cancel
 * the benefit.
 */
function isOpen(node: FunctionExpression): boolean {
  return !node.attributes.includes('native') && !isAskedFor(node)
}

/** Whether the author marked the function to stay native. */
function isAskedFor({ attributes }: FunctionExpression): boolean {
  return attributes.includes(MARK_NATIVE)
}

function strategyOf(node: Owner): Strategy | null {
  if (node.kind !== 'FunctionExpression') return null
  if (node.attributes.includes(MARK_STRONG)) return 'strong'
  return node.attributes.includes(MARK_BALANCED) ? 'balanced' : null
}

/** Whether the script mentions LuaJIT's `ffi`. */
function namesForeign(chunk: Chunk): boolean {
  let isFound = false
  rewrite(chunk, {
    StringLiteral: ({ value }) => {
      if (value === 'ffi') isFound = true
    },
  })
  return isFound
}

/**
 * Returns the functions that contain `goto` or Lua 5.4's `<close>`. The scoping rules of these constructs
 * cannot be expressed in an instruction stream.
 */
function functionsThatJump(chunk: Chunk): ReadonlySet<Owner> {
  const found = new Set<Owner>()
  const open: Owner[] = [chunk]
  const note = (): undefined => void found.add(open[open.length - 1] as Owner)
  rewrite(chunk, {
    FunctionExpression: { enter: (node) => void open.push(node), leave: () => void open.pop() },
    Goto: note,
    Label: note,
    Binding: (node) => (node.attribute === 'close' ? note() : undefined),
  })
  return found
}
