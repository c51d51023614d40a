/**
 * The API key of this tab. A set-up link carries one behind `#key=`, where no server and no referrer sees it; it is
 * taken out of the address at once. The key in use is kept in the tab's own storage, which ends with the tab.
 */
const STORED = 'scriptward.api_key'
const LINKED = /^#key=([^&]+)$/

export function storedKey(): string | null {
  return sessionStorage.getItem(STORED)
}

/** The key of a set-up link, which is not used yet: an attacker may have made the link. Null without a readable one. */
export function takeLinkedKey(): string | null {
  const linked = LINKED.exec(location.hash)?.[1]
  if (linked === undefined) return null
  history.replaceState(null, '', location.pathname)
  try {
    return decodeURIComponent(linked)
  } catch {
    return null
  }
}

export function storeKey(key: string): void {
  sessionStorage.setItem(STORED, key)
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED)
}
