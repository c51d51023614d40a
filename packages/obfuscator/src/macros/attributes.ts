/**
 * Handles attributes, which are written as an `LPH_ATTRIBUTES(VM(NONE))` statement inside a function or as
 * `@[VM(NONE)]` in front of it. Removes the attributes and marks the function, together with all nested
 * functions that have no mark yet.
 */

import type { PassContext } from '../pass-context.ts'
import { MARK_BALANCED, MARK_NATIVE, MARK_STRONG } from '../semantics/function-marks.ts'
import type { Block, Call, Chunk, Expression, FunctionExpression, Offset, Statement } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { macroOf } from './macro-names.ts'
import { macroNamed } from './macro-table.ts'
import type { Notices } from './notices.ts'

const MARKS: ReadonlyMap<string, string> = new Map([
  ['VM(NONE)', MARK_NATIVE],
  ['PRESET(FAST)', MARK_NATIVE],
  ['PRESET(BALANCED)', MARK_BALANCED],
  ['PRESET(SECURE)', MARK_STRONG],
])

const IGNORED = /^(VM\((OPAL|ONYX)\)|(ENCRYPT|ERROR_HANDLING|INLINE|NO_UPVALUES|OPTIMIZE|TRANSFORM|UNROLL)\b)/

/** The function mark for each preset that can be the first argument of `WARD_PRESET`. */
export const PRESET_MARKS: ReadonlyMap<string, string> = new Map([
  ['light', MARK_NATIVE],
  ['balanced', MARK_BALANCED],
  ['strong', MARK_STRONG],
])

/** Warns if a function is marked for virtualization in a build that does not virtualize functions. */
export function noteWithoutEffect(
  mark: string,
  { at, name }: { readonly at: Offset; readonly name: string },
  { virtualizes }: PassContext,
  notices: Notices,
): void {
  if (virtualizes || mark === MARK_NATIVE) return
  notices.addUnprotected(
    at,
    `${name} has no effect because this build does not virtualize functions: choose the preset 'balanced' or a stronger one`,
  )
}

/** Marks the functions that have no mark yet. */
export function markFunctions<N extends FunctionExpression | Block>(root: N, mark: string): N {
  return rewrite(root, {
    FunctionExpression: (node) =>
      [MARK_NATIVE, MARK_BALANCED, MARK_STRONG].some((each) => node.attributes.includes(each))
        ? undefined
        : { ...node, attributes: [...node.attributes, mark] },
  })
}

/** Attributes that Luau itself defines. */
const LUAU: readonly string[] = ['native', 'checked', 'deprecated']

export class FunctionAttributes {
  /** Whether some functions are marked to stay completely or almost unchanged. */
  keepsFunctions = false
  readonly #context: PassContext
  readonly #notices: Notices

  constructor(context: PassContext, notices: Notices) {
    this.#context = context
    this.#notices = notices
  }

  take(chunk: Chunk): Chunk {
    return rewrite(chunk, {
      FunctionExpression: (node) => {
        const { mark, body } = this.#read(node.body)
        const attributes = node.attributes.filter((each) => each.startsWith(' ') || LUAU.includes(each))
        if (body === node.body && attributes.length === node.attributes.length) return undefined
        const written = node.attributes.filter((each) => !attributes.includes(each))
        const marks = written.flatMap((each) => this.#markOf(each, node))
        return this.#marked({ ...node, attributes, body }, mark ?? marks.at(-1) ?? null)
      },
      Chunk: (node) => {
        const { mark, body } = this.#read(node.body)
        return body === node.body ? undefined : { ...node, body: this.#marked(body, mark) }
      },
    })
  }

  #marked<N extends FunctionExpression | Block>(root: N, mark: string | null): N {
    if (mark === MARK_NATIVE || mark === MARK_BALANCED) this.keepsFunctions = true
    return mark === null ? root : markFunctions(root, mark)
  }

  /** Returns the body without its attributes, and the mark that they set. */
  #read(block: Block): { readonly mark: string | null; readonly body: Block } {
    const found = block.statements.flatMap((each) => attributesIn(each) ?? [])
    if (found.length === 0) return { mark: null, body: block }
    const marks = found.flatMap((each) => this.#marksOf(each))
    const statements = block.statements.filter((each) => attributesIn(each) === null)
    return {
      mark: marks.includes(MARK_NATIVE) ? MARK_NATIVE : (marks.at(-1) ?? null),
      body: { ...block, statements },
    }
  }

  /** Returns the mark for a Luau-style attribute such as `@[VM(NONE)]` or `@LPH_JIT`. */
  #markOf(name: string, { at }: FunctionExpression): string[] {
    const macro = macroNamed(name)
    const mark =
      macro === 'hot' ? MARK_NATIVE : macro === 'fast' ? MARK_BALANCED : MARKS.get(name.toUpperCase())
    if (mark !== undefined) return [mark]
    this.#notices.add(at, `the unknown attribute '@${name}' is ignored`)
    return []
  }

  #marksOf({ args, callee }: Call): string[] {
    if (args.length === 0) this.#context.diagnostics.report(callee.at, 'attributeUnknown', 'LPH_ATTRIBUTES')
    return args.flatMap((each) => {
      const text = textOf(each)
      const at = each.kind === 'Call' ? each.callee.at : each.at
      const mark = MARKS.get(text)
      if (mark !== undefined) {
        noteWithoutEffect(mark, { at, name: `${text} of LPH_ATTRIBUTES` }, this.#context, this.#notices)
        return [mark]
      }
      if (IGNORED.test(text))
        this.#notices.add(at, `${text.replace(/\(.*/, '')} of LPH_ATTRIBUTES is ignored`)
      else this.#context.diagnostics.report(at, 'attributeUnknown', 'LPH_ATTRIBUTES')
      return []
    })
  }
}

function attributesIn(node: Statement): Call | null {
  if (node.kind !== 'CallStatement' || node.call.kind !== 'Call') return null
  return macroOf(node.call.callee) === 'attributes' ? node.call : null
}

/** Formats an attribute as `NAME` or `NAME(NAME)`. An argument that is not a name becomes `?`. */
function textOf(node: Expression): string {
  if (node.kind === 'GlobalName') return node.name
  if (node.kind !== 'Call' || node.callee.kind !== 'GlobalName') return ''
  const words = node.args.map((each) => (each.kind === 'GlobalName' ? each.name : '?'))
  return `${node.callee.name}(${words.join()})`
}
