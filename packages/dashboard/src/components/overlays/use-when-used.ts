import { useState } from 'react'

/**
 * Loads code when its component is first used, and returns it once it is loaded. `prepare` starts loading
 * early, such as when the pointer reaches a button. A failed load can be retried. `prepare` and `use` never
 * change.
 */
export function useWhenUsed<Code extends object>(load: () => Promise<Code>) {
  const [code, setCode] = useState<Code>()
  const [functions] = useState(() => ({
    prepare: () => void load().catch(ignore),
    use: () => void load().then((loaded) => setCode(() => loaded), ignore),
  }))
  return { code, ...functions }
}

/** The user can retry with the same button, so a failed load needs no message. */
function ignore(): void {}
