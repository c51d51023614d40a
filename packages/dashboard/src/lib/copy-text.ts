/**
 * Copies a string. The clipboard API exists only on HTTPS and localhost. Elsewhere, selects the string and
 * copies it with a browser command.
 */
export async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    return copySelected(value)
  }
}

function copySelected(value: string): boolean {
  const before = document.activeElement
  const holder = document.createElement('textarea')
  holder.value = value
  holder.className = 'unseen'
  // If a dialog is open, the element is placed inside it, because nothing outside a modal dialog can be
  // selected.
  const place = before?.closest('dialog') ?? document.body
  place.append(holder)
  holder.select()
  const isCopied = document.execCommand('copy')
  holder.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}
