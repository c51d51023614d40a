import type { LuauState as Luau } from 'luau-web'

/**
 * Loads Luau in a worker. Call this function only after the first message has arrived, because messages are
 * lost while the module waits for WebAssembly. luau-web detects workers by their globals and rejects them,
 * although it doesn't depend on anything that only pages have.
 */
export async function loadLuau(): Promise<typeof Luau> {
  Reflect.deleteProperty(globalThis, 'WorkerGlobalScope')
  Reflect.set(globalThis, 'window', globalThis)
  return (await import('luau-web')).LuauState
}
