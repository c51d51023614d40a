/** Encrypts and decrypts the source of server functions for storage. */
import type { Deps } from '../../deps.ts'
import { nameOf } from './call-counter.ts'
import type { FunctionRow } from './store.ts'

export function sealFunction(
  { secrets }: Pick<Deps, 'secrets'>,
  id: Pick<FunctionRow, 'script_id' | 'version' | 'name'>,
  source: string,
): Buffer {
  return secrets.seal('serverFunction', nameOf(id), source)
}

export function openFunction(
  { secrets }: Pick<Deps, 'secrets'>,
  row: Pick<FunctionRow, 'script_id' | 'version' | 'name' | 'source'>,
): string {
  return secrets.openText('serverFunction', nameOf(row), row.source)
}
