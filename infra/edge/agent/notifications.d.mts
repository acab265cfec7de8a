export class Notifications {
  constructor(secret: string);
  /** @param notification its time in Unix seconds */
  judge(
    notification: { readonly time: number; readonly keys: string; readonly signature: string },
    nowMilliseconds?: number,
  ): 'accepted' | 'replayed' | 'refused';
}
