import { useState } from 'react'

/**
 * Loads code when its component is first used, and returns it as soon as it may render. `prepare` starts loading early,
 * such as when the pointer reaches a button. A load that failed can be tried again. Both functions are stable.
 */
export function useWhenUsed<Code extends object>(load: () => Promise<Code>) {
  const [code, setCode] = useState<Code>()
  const [functions] = useState(() => ({
    prepare: () => void load().catch(ignore),
    use: () => void load().then((loaded) => setCode(() => loaded), ignore),
  }))
  return { code, ...functions }
}

/** What the user pressed is still there. */
function ignore(): void {}
