/**
 * Lets every function of the store note its calls while tests run: `export const findUser = (db: Queries) => …`
 * becomes `… = noted('users.findUser', (db) => …)`. What is noted, and where it is read, is explained in
 * `packages/server/test/record.ts`.
 */
import path from 'node:path'
import type { Plugin } from 'vitest/config'
import { ROOT } from './run.ts'
import { placeOf, STORE, storeFunctionsIn } from './store-functions.ts'

const RECORD = path.join(ROOT, 'packages', 'server', 'test', 'record.ts')

export function recordPlugin(): Plugin {
  return {
    name: 'record-store-functions',
    enforce: 'pre',
    transform: (text, id) => {
      const file = path.relative(STORE, id)
      const isOfStore =
        !file.startsWith('..') && /(?<!\.test)\.ts$/.test(file) && !file.includes('migrations')
      return isOfStore ? { code: withNotes(text, placeOf(file)), map: null } : undefined
    },
  }
}

/** Adds to lines and makes none, so that a stack trace still names the line of the source. */
export function withNotes(text: string, place: string): string {
  let noted = text
  for (const { name, isDeclaration, start, end } of storeFunctionsIn(text).toReversed()) {
    const call = `__noted('${place}.${name}', `
    noted = isDeclaration
      ? `${noted.slice(0, end)}; ${name} = ${call}${name})${noted.slice(end)}`
      : `${noted.slice(0, start)}${call}${noted.slice(start, end)})${noted.slice(end)}`
  }
  return noted === text ? text : `import { noted as __noted } from '${RECORD}';${noted}`
}
