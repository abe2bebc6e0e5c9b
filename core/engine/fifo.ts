/** A first-in, first-out line with O(1) push and shift, for runs that wait their turn and agents with free slots. */
export class Fifo<T> implements Iterable<T> {
  private items: T[] = [];
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  peek(): T | undefined {
    return this.items[this.head];
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.items[this.head];
    this.head += 1;
    // Half of the array is spent: move the rest down. Each item is moved at most once per time it is pushed.
    if (this.head >= 64 && this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let i = this.head; i < this.items.length; i += 1) yield this.items[i]!;
  }
}
