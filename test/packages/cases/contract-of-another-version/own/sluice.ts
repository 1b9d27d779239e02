export default { contract: 7 };
