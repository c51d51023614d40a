import { useParams } from '@tanstack/react-router'

export function useScriptId(): string {
  const { script }: { script?: string } = useParams({ strict: false })
  return script ?? ''
}
