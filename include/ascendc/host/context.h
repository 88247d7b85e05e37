/* SPDX-License-Identifier: MIT */
/* The contexts that functions of op_host are given: inputs, outputs and attributes of one operator, and room for the results of tiling. */
#ifndef ASCENDC_HOST_CONTEXT_H
#define ASCENDC_HOST_CONTEXT_H

#include "types.h"

namespace fe {

/** PlatFormInfos - the AI cores of the device and its name; ascendc-op says both */
class PlatFormInfos {
public:
	uint32_t GetCoreNum() const { return cores; }
	bool GetPlatformResWithLock(const std::string &, const std::string &, std::string &) { return false; }

	uint32_t cores = 8;
	std::string soc = "Ascend910B";
};

} // namespace fe

namespace gert {

template <class T> class TypedContinuousVector {
public:
	explicit TypedContinuousVector(std::vector<T> values) : values_(std::move(values)) {}
	size_t GetSize() const { return values_.size(); }
	const T *GetData() const { return values_.data(); }

private:
	std::vector<T> values_;
};

using ContinuousVector = TypedContinuousVector<int64_t>;

/** Attribute - the value of one attribute, in every form that functions ask for */
struct Attribute {
	enum Kind { INT, FLOAT, BOOL, STRING, INTS, FLOATS } kind = INT;
	int64_t integer = 0;
	float number = 0;
	bool truth = false;
	std::string text;
	std::vector<int64_t> integers;
	std::vector<float> numbers;
	bool given = false;
};

/**
 * RuntimeAttrs - attributes in the order of the operator's definition
 *
 * A function that asks for a number or a truth value gets one of any attribute but text, as the framework does not compare types
 * and operators ask for the wrong one: the value converted, of a list its length. Lists of another type are nullptr.
 */
class RuntimeAttrs {
public:
	size_t GetAttrNum() const { return values.size(); }
	const int64_t *GetInt(size_t i) const { return plain(i) ? &values[i].integer : nullptr; }
	const float *GetFloat(size_t i) const { return plain(i) ? &values[i].number : nullptr; }
	const bool *GetBool(size_t i) const { return plain(i) ? &values[i].truth : nullptr; }
	const char *GetStr(size_t i) const { return is(i, Attribute::STRING) ? values[i].text.c_str() : nullptr; }
	const ContinuousVector *GetListInt(size_t i) const { return i < integers.size() && is(i, Attribute::INTS) ? &integers[i] : nullptr; }
	const TypedContinuousVector<float> *GetListFloat(size_t i) const
	{
		return i < numbers.size() && is(i, Attribute::FLOATS) ? &numbers[i] : nullptr;
	}

	template <class T> const T *GetAttrPointer(size_t i) const
	{
		if (i >= values.size())
			return nullptr;
		if constexpr (std::is_same_v<T, char>)
			return GetStr(i);
		else if constexpr (std::is_same_v<T, bool>)
			return GetBool(i);
		else if constexpr (std::is_same_v<T, float>)
			return GetFloat(i);
		else if constexpr (std::is_same_v<T, ContinuousVector>)
			return GetListInt(i);
		else if constexpr (std::is_same_v<T, TypedContinuousVector<float>>)
			return GetListFloat(i);
		else
			return plain(i) ? reinterpret_cast<const T *>(&values[i].integer) : nullptr;
	}

	/* After the values are set: each gets the forms that other functions ask for */
	void finish()
	{
		for (Attribute &value : values) {
			convert(value);
			integers.emplace_back(value.integers);
			numbers.emplace_back(value.numbers);
		}
	}

	std::vector<Attribute> values;

private:
	bool is(size_t i, Attribute::Kind kind) const { return i < values.size() && values[i].kind == kind; }
	bool plain(size_t i) const { return i < values.size() && values[i].kind != Attribute::STRING; }

	static void convert(Attribute &value)
	{
		if (value.kind == Attribute::INTS || value.kind == Attribute::FLOATS)
			value.integer = value.kind == Attribute::INTS ? value.integers.size() : value.numbers.size();
		else if (value.kind == Attribute::BOOL)
			value.integer = value.truth;
		else if (value.kind == Attribute::FLOAT)
			value.integer = static_cast<int64_t>(value.number);
		if (value.kind != Attribute::FLOAT)
			value.number = static_cast<float>(value.integer);
		value.truth = value.number != 0;
	}

	std::vector<ContinuousVector> integers;
	std::vector<TypedContinuousVector<float>> numbers;
};

/** TilingData - the bytes that the kernel is given */
class TilingData {
public:
	static constexpr size_t capacity = 65536;

	TilingData() : bytes(capacity) {}
	void *GetData() { return bytes.data(); }
	const void *GetData() const { return bytes.data(); }
	size_t GetCapacity() const { return bytes.size(); }
	size_t GetDataSize() const { return size; }
	void SetDataSize(size_t value) { size = value; }

	template <class T> ge::graphStatus Append(const T &value)
	{
		if (size + sizeof(T) > bytes.size())
			return ge::GRAPH_FAILED;
		memcpy(bytes.data() + size, &value, sizeof(T));
		size += sizeof(T);
		return ge::GRAPH_SUCCESS;
	}

private:
	std::vector<uint8_t> bytes;
	size_t size = 0;
};

/** OneOperator - an operator that is tiled: what all contexts look at */
struct OneOperator {
	struct Slot {
		size_t begin = 0, count = 0;	/* of the tensors: one, none for an optional one, several for a dynamic one */
		bool absent = false;	/* optional and not given: it has no tensor, but a place among the inputs */

		size_t GetInstanceNum() const { return count; }
		size_t GetInstanceStart() const { return begin; }
	};
	std::string name, type;
	std::vector<Tensor> inputs, outputs;
	std::vector<Slot> in_slots, out_slots;
	std::vector<Shape> out_shapes;
	RuntimeAttrs attributes;
	fe::PlatFormInfos platform;
	TilingData tiling;
	std::vector<size_t> workspaces;
	uint64_t key = 0;
	uint32_t blocks = 1;
	uint32_t local_memory = 0;	/* bytes of UB that tiling has claimed for threads */
	std::shared_ptr<void> compile_info;
};

/** Context - the part that all contexts have */
class Context {
public:
	explicit Context(OneOperator &op) : op_(op) {}

	const char *GetNodeName() const { return op_.name.c_str(); }
	const char *GetNodeType() const { return op_.type.c_str(); }
	/* The node of a graph is the operator itself here. */
	const Context *GetComputeNodeInfo() const { return this; }
	size_t GetInputsNum() const { return op_.inputs.size(); }
	size_t GetOutputsNum() const { return op_.outputs.size(); }
	size_t GetIrInputsNum() const { return op_.in_slots.size(); }
	int32_t GetDeterministic() const { return 0; }
	size_t GetComputeNodeInputNum() const { return op_.inputs.size(); }
	size_t GetComputeNodeOutputNum() const { return op_.outputs.size(); }
	const RuntimeAttrs *GetAttrs() const { return &op_.attributes; }

	/* An optional input that is not given keeps its place: calls through aclnn pass a null pointer there. */
	const Tensor *GetInputTensor(size_t i) const
	{
		for (const OneOperator::Slot &slot : op_.in_slots) {
			size_t places = slot.absent ? 1 : slot.count;

			if (i < places)
				return slot.absent ? nullptr : &op_.inputs[slot.begin + i];
			i -= places;
		}
		return nullptr;
	}
	const Tensor *GetRequiredInputTensor(size_t ir) const { return in_slot(ir, 0); }
	const Tensor *GetOptionalInputTensor(size_t ir) const { return in_slot(ir, 0); }
	const Tensor *GetDynamicInputTensor(size_t ir, size_t i) const { return in_slot(ir, i); }
	const CompileTimeTensorDesc *GetInputDesc(size_t i) const { return desc(GetInputTensor(i)); }
	const CompileTimeTensorDesc *GetRequiredInputDesc(size_t ir) const { return desc(in_slot(ir, 0)); }
	const CompileTimeTensorDesc *GetOptionalInputDesc(size_t ir) const { return desc(in_slot(ir, 0)); }
	const CompileTimeTensorDesc *GetDynamicInputDesc(size_t ir, size_t i) const { return desc(in_slot(ir, i)); }
	const CompileTimeTensorDesc *GetOutputDesc(size_t i) const { return i < op_.outputs.size() ? &op_.outputs[i].desc : nullptr; }
	const OneOperator::Slot *GetIrInputInstanceInfo(size_t ir) const { return ir < op_.in_slots.size() ? &op_.in_slots[ir] : nullptr; }

protected:
	const Tensor *in_slot(size_t ir, size_t i) const
	{
		return ir < op_.in_slots.size() && i < op_.in_slots[ir].count ? &op_.inputs[op_.in_slots[ir].begin + i] : nullptr;
	}
	static const CompileTimeTensorDesc *desc(const Tensor *tensor) { return tensor ? &tensor->desc : nullptr; }

	OneOperator &op_;
};

class TilingContext : public Context {
public:
	using Context::Context;

	const StorageShape *GetInputShape(size_t i) const { return shape(GetInputTensor(i)); }
	const StorageShape *GetRequiredInputShape(size_t ir) const { return shape(in_slot(ir, 0)); }
	const StorageShape *GetOptionalInputShape(size_t ir) const { return shape(in_slot(ir, 0)); }
	const StorageShape *GetDynamicInputShape(size_t ir, size_t i) const { return shape(in_slot(ir, i)); }
	const StorageShape *GetOutputShape(size_t i) const { return i < op_.outputs.size() ? &op_.outputs[i].shape : nullptr; }

	TilingData *GetRawTilingData() { return &op_.tiling; }
	template <class T> T *GetTilingData()
	{
		op_.tiling.SetDataSize(sizeof(T));
		return sizeof(T) <= op_.tiling.GetCapacity() ? static_cast<T *>(op_.tiling.GetData()) : nullptr;
	}
	size_t *GetWorkspaceSizes(size_t count)
	{
		op_.workspaces.resize(count);
		return op_.workspaces.data();
	}
	size_t GetWorkspaceNum() const { return op_.workspaces.size(); }
	ge::graphStatus SetTilingKey(uint64_t key) { op_.key = key; return ge::GRAPH_SUCCESS; }
	uint64_t GetTilingKey() const { return op_.key; }
	ge::graphStatus SetBlockDim(uint32_t blocks) { op_.blocks = blocks; return ge::GRAPH_SUCCESS; }
	uint32_t GetBlockDim() const { return op_.blocks; }
	ge::graphStatus SetScheduleMode(uint32_t) { return ge::GRAPH_SUCCESS; }
	ge::graphStatus SetNeedAtomic(bool) { return ge::GRAPH_SUCCESS; }
	ge::graphStatus SetLocalMemorySize(uint32_t bytes) { op_.local_memory = bytes; return ge::GRAPH_SUCCESS; }
	uint32_t GetLocalMemorySize() const { return op_.local_memory; }
	ge::graphStatus SetTilingCond(int32_t) { return ge::GRAPH_SUCCESS; }
	ge::graphStatus SetAicpuBlockDim(uint32_t) { return ge::GRAPH_SUCCESS; }
	fe::PlatFormInfos *GetPlatformInfo() const { return &op_.platform; }
	const void *GetCompileInfo() const { return op_.compile_info.get(); }
	template <class T> const T *GetCompileInfo() const { return static_cast<const T *>(op_.compile_info.get()); }

private:
	static const StorageShape *shape(const Tensor *tensor) { return tensor ? &tensor->shape : nullptr; }
};

/** TilingParseContext - for what an operator finds out of the platform once */
class TilingParseContext : public Context {
public:
	using Context::Context;
	template <class T> T *GetCompiledInfo() { return static_cast<T *>(op_.compile_info.get()); }
	fe::PlatFormInfos *GetPlatformInfo() const { return &op_.platform; }
	const char *GetCompiledJson() const { return "{}"; }
};

class InferShapeContext : public Context {
public:
	using Context::Context;

	const Shape *GetInputShape(size_t i) const { return shape(GetInputTensor(i)); }
	const Shape *GetRequiredInputShape(size_t ir) const { return shape(in_slot(ir, 0)); }
	const Shape *GetOptionalInputShape(size_t ir) const { return shape(in_slot(ir, 0)); }
	const Shape *GetDynamicInputShape(size_t ir, size_t i) const { return shape(in_slot(ir, i)); }
	Shape *GetOutputShape(size_t i) { return i < op_.out_shapes.size() ? &op_.out_shapes[i] : nullptr; }

private:
	static const Shape *shape(const Tensor *tensor) { return tensor ? &tensor->GetOriginShape() : nullptr; }
};

class InferDataTypeContext : public Context {
public:
	using Context::Context;

	ge::DataType GetInputDataType(size_t i) const { return type(GetInputTensor(i)); }
	ge::DataType GetRequiredInputDataType(size_t ir) const { return type(in_slot(ir, 0)); }
	ge::DataType GetOptionalInputDataType(size_t ir) const { return type(in_slot(ir, 0)); }
	ge::DataType GetDynamicInputDataType(size_t ir, size_t i) const { return type(in_slot(ir, i)); }
	ge::DataType GetOutputDataType(size_t i) const { return i < op_.outputs.size() ? op_.outputs[i].desc.type : ge::DT_UNDEFINED; }
	ge::graphStatus SetOutputDataType(size_t i, ge::DataType value)
	{
		if (i >= op_.outputs.size())
			return ge::GRAPH_FAILED;
		op_.outputs[i].desc.type = value;
		return ge::GRAPH_SUCCESS;
	}

private:
	static ge::DataType type(const Tensor *tensor) { return tensor ? tensor->desc.type : ge::DT_UNDEFINED; }
};

class InferShapeRangeContext : public Context {
public:
	using Context::Context;
};

} // namespace gert

#endif
