export default {
  contract: 1,
  get components(): never {
    throw new Error("not today");
  },
};
