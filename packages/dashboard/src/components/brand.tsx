import { addressOf } from '../lib/address.ts'
import { text } from '../messages/text.ts'
import { Mark } from './mark.tsx'

export function Brand({ className = '' }: { className?: string | undefined }) {
  return (
    <a href={addressOf.projects} className={`product ${className}`}>
      <Mark />
      {text.product}
    </a>
  )
}
