/**
 * Parses an output again under the rules of its target. A bug in a pass or in the printer may break an
 * output, and a broken output must never reach customers.
 */

import { type Diagnostic, Diagnostics } from './diagnostics.ts'
import { checkContinues, checkLabels } from './semantics/labels.ts'
import { checkLimits } from './semantics/limits.ts'
import { resolve } from './semantics/resolve.ts'
import type { Target } from './semantics/target.ts'
import type { LineTable, SourcePlaces } from './syntax/line-map.ts'
import { parse } from './syntax/parser.ts'

export type Output = { readonly code: string; readonly lines: LineTable }

/** Reports the first problem in the output at the source line that corresponds to it. */
export function checkOutput(
  { code, lines }: Output,
  target: Target,
  { starts }: Pick<SourcePlaces, 'starts'>,
  diagnostics: Diagnostics,
): void {
  const problem = loadProblem(code, target)
  if (problem === null) return
  const line = sourceLine(lines, problem.line)
  diagnostics.report(starts[line - 1] ?? 0, 'brokenOutput', problem.message)
}

/** Returns the first reason why a host of the target would reject the code; null if the code loads. */
export function loadProblem(code: string, target: Target): Diagnostic | null {
  const diagnostics = new Diagnostics(code)
  const dialect = target === 'any' ? 'lua51' : target
  const parsed = parse(code, diagnostics, dialect)
  if (diagnostics.isEmpty) {
    const resolved = resolve(parsed, [], diagnostics, dialect)
    if (code.includes('::')) checkLabels(resolved, dialect, diagnostics)
    if (code.includes('continue')) checkContinues(resolved, diagnostics)
    checkLimits(resolved, target, diagnostics)
  }
  return diagnostics.list()[0] ?? null
}

/** If a line maps to no source line, the line belongs to the statement before it. */
function sourceLine({ lines }: LineTable, line: number): number {
  return lines.slice(0, line).findLast((each) => each > 0) ?? 1
}
