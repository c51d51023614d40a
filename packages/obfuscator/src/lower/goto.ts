/**
 * Lowers the only form of `goto` that every host can run: a jump to a label at the end of the enclosing loop,
 * which is equivalent to Luau's `continue`. Any other `goto` stays, and is reported if the target does not
 * support it.
 */

import type { Block, Chunk, Statement } from '../syntax/ast.ts'
import { ownLoopLevel, rewrite, type Visitors } from '../syntax/walk.ts'

type Loop = Extract<Statement, { kind: 'While' | 'Repeat' | 'NumericFor' | 'GenericFor' }>

/** Replaces every `goto` to the end of its loop with `Continue`. */
export function lowerGoto(chunk: Chunk): Chunk {
  return rewrite(chunk, { While: continued, Repeat: continued, NumericFor: continued, GenericFor: continued })
}

function continued<L extends Loop>(loop: L): L | undefined {
  if (loop.kind === 'Repeat' && loop.body.statements.some(isClosed)) return undefined
  const labels = trailingLabels(loop.body).filter((label) => isOwn(loop.body, label))
  if (labels.length === 0) return undefined
  const statements = loop.body.statements.filter(
    (each) => each.kind !== 'Label' || !labels.includes(each.label),
  )
  const body = rewrite({ ...loop.body, statements } as Block, {
    ...ownLoopLevel,
    Goto: (node) => (labels.includes(node.label) ? { kind: 'Continue', at: node.at } : undefined),
  })
  return { ...loop, body }
}

/**
 * Whether the statement declares a `<close>` variable. Such a variable must stay open until the condition of
 * a `repeat` has been evaluated. It would therefore have to be declared outside the loop that runs once,
 * which is not possible.
 */
function isClosed(statement: Statement): boolean {
  return statement.kind === 'Local' && statement.bindings.some(({ attribute }) => attribute === 'close')
}

function trailingLabels({ statements }: Block): string[] {
  const labels: string[] = []
  for (const each of statements.toReversed()) {
    if (each.kind !== 'Label') break
    labels.push(each.label)
  }
  return labels
}

/** Whether the label is unique, and all jumps to it come from this loop itself and not from an inner loop. */
function isOwn(body: Block, label: string): boolean {
  const count = (visitors: Visitors) => {
    const found = { gotos: 0, labels: 0 }
    rewrite(body, {
      ...visitors,
      Goto: (node) => {
        if (node.label === label) found.gotos += 1
      },
      Label: (node) => {
        if (node.label === label) found.labels += 1
      },
    })
    return found
  }
  const everywhere = count({ FunctionExpression: { enter: () => false } })
  return everywhere.labels === 1 && everywhere.gotos === count(ownLoopLevel).gotos
}
