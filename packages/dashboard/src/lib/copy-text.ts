/**
 * Copies a string. The clipboard API exists only on https and localhost; elsewhere, the string is
 * selected and copied with a browser command.
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
  // Placed inside an open dialog, because nothing outside it can be selected.
  const place = before?.closest('dialog') ?? document.body
  place.append(holder)
  holder.select()
  const isCopied = document.execCommand('copy')
  holder.remove()
  if (before instanceof HTMLElement) before.focus()
  return isCopied
}
