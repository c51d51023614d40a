/**
 * The API key of this tab. A set-up link carries it behind `#key=`, where no server and no referrer sees it; it is
 * taken out of the address at once and kept in the tab's own storage, which ends with the tab.
 */
const STORED = 'scriptward.api_key'
const LINKED = /^#key=([^&]+)$/

export function readKey(): string | null {
  const linked = LINKED.exec(location.hash)?.[1]
  if (linked !== undefined) {
    sessionStorage.setItem(STORED, decodeURIComponent(linked))
    history.replaceState(null, '', location.pathname)
  }
  return sessionStorage.getItem(STORED)
}

export function storeKey(key: string): void {
  sessionStorage.setItem(STORED, key)
}

export function forgetKey(): void {
  sessionStorage.removeItem(STORED)
}
