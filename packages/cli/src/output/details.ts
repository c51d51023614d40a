/** Prints a resource with one field per line. */

import type { Output } from './output.ts'

export function printDetails(out: Output, members: Readonly<Record<string, unknown>>): void {
  out.json(members)
  const width = Math.max(...Object.keys(members).map((name) => name.length))
  for (const [name, value] of Object.entries(members))
    out.line(`${name.padEnd(width)}  ${textOf(out, name, value)}`)
}

function textOf(out: Output, name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number' && /_(at|until)$/.test(name)) return out.when(value)
  if (Array.isArray(value)) return value.join(', ') || '-'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
